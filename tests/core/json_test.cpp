#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/json.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych {
namespace {

class JsonTest : public testing::Test {
 protected:
  Json parse(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_json(path_);
  }

  // Where the text stops being JSON, as "line:column"; "" when it is JSON.
  std::string error_place(const std::string& text) {
    try {
      parse(text);
    } catch (const ParseError& error) {
      EXPECT_EQ(error.file(), path_.string());
      return std::to_string(error.line()) + ":" + std::to_string(error.column());
    }
    return "";
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "file.json";
};

TEST_F(JsonTest, GivesBackWhatWasWritten) {
  const Json json = {{"name", "grüße"}, {"values", {1, -2, 0.1}}, {"none", nullptr}};
  write_json(path_, json);
  EXPECT_EQ(read_json(path_), json);
  EXPECT_EQ(read_text(path_).back(), '\n');
}

TEST_F(JsonTest, ParseErrorsHaveLineAndColumn) {
  EXPECT_EQ(error_place("{\n  \"a\": 1,\n  \"b\": x\n}"), "3:8");
  EXPECT_EQ(error_place("x"), "1:1");
  EXPECT_EQ(error_place("[1,\n2"), "2:2");
  EXPECT_EQ(error_place("[1,\n"), "2:1");
  EXPECT_EQ(error_place(""), "1:1");
  EXPECT_EQ(error_place("[1] ]"), "1:5");
  EXPECT_EQ(error_place("\n\n[\"\xff\"]"), "3:3");
}

TEST_F(JsonTest, NumbersBeyondDoubleAreParseErrors) {
  EXPECT_ERROR(parse("[1e999]"), ParseError, "number overflow");
}

TEST_F(JsonTest, MissingFilesAreErrors) { EXPECT_ERROR(read_json(directory_ / "absent"), Error, "absent"); }

TEST_F(JsonTest, TextThatIsNotUtf8IsNotWritten) {
  EXPECT_ERROR(write_json(path_, Json("\xff")), InvalidArgument, path_.string());
  EXPECT_EQ(directory_.entry_count(), 0);
}

TEST_F(JsonTest, RandomBytesAreParsedOrRejected) {
  const std::string valid = R"({"a": [1, 2.5e3, -7], "b": {"c": "text é", "d": [true, null]}})";
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    std::string text = test::random_text(static_cast<std::int64_t>(seed % 64), seed);
    if (seed % 2 == 0) {  // a valid text, some bytes of it changed
      const std::string changes = text;
      text = valid;
      for (std::size_t i = 0; i + 1 < changes.size(); i += 16) {
        text[static_cast<unsigned char>(changes[i]) % text.size()] = changes[i + 1];
      }
    }
    const std::string place = error_place(text);
    EXPECT_EQ(place.find('-'), std::string::npos) << place;
  }
}

TEST(JsonAt, GivesTypedMembers) {
  const Json json = {{"n", -3}, {"x", 2.5}, {"s", "text"}, {"b", true}, {"v", {1, 2}}, {"big", UINT64_MAX}};
  EXPECT_EQ(at<int>(json, "n", "file"), -3);
  EXPECT_EQ(at<double>(json, "n", "file"), -3.0);
  EXPECT_EQ(at<float>(json, "x", "file"), 2.5f);
  EXPECT_EQ(at<std::string>(json, "s", "file"), "text");
  EXPECT_TRUE(at<bool>(json, "b", "file"));
  EXPECT_EQ(at<std::vector<int>>(json, "v", "file"), (std::vector<int>{1, 2}));
  EXPECT_EQ(at<std::uint64_t>(json, "big", "file"), UINT64_MAX);
}

TEST(JsonAt, SaysWhatWasExpected) {
  const Json json = {{"n", -3}, {"x", 2.5}, {"s", "text"}, {"v", {1, "2"}}, {"big", UINT64_MAX}};
  EXPECT_ERROR(at<int>(json, "x", "f.json"), ParseError,
               "f.json: expected \"x\" to be an integer in range, found 2.5");
  EXPECT_ERROR(at<unsigned>(json, "n", "f.json"), ParseError, "not negative, found -3");
  EXPECT_ERROR(at<std::int64_t>(json, "big", "f.json"), ParseError, "an integer in range");
  EXPECT_ERROR(at<std::int8_t>({{"n", 128}}, "n", "f.json"), ParseError, "found 128");
  EXPECT_ERROR(at<double>(json, "s", "f.json"), ParseError, "to be a number, found \"text\"");
  EXPECT_ERROR(at<std::string>(json, "n", "f.json"), ParseError, "to be a string, found -3");
  EXPECT_ERROR(at<bool>(json, "n", "f.json"), ParseError, "true or false, found -3");
  EXPECT_ERROR(at<double>(json, "v", "f.json"), ParseError, "to be a number, found an array");
  EXPECT_ERROR(at<std::vector<int>>(json, "v", "f.json"), ParseError,
               "expected \"v\" to be an integer in range, found \"2\"");
  EXPECT_ERROR(at<std::vector<int>>(json, "n", "f.json"), ParseError, "to be an array, found -3");
  EXPECT_ERROR(at<int>(json, "absent", "f.json"), ParseError, "f.json: expected the key \"absent\"");
  EXPECT_ERROR(at<int>(Json::array(), "n", "f.json"), ParseError,
               "expected an object with the key \"n\", found array");
}

TEST(JsonAt, RefusesNumbersOutOfRange) {
  const Json json = {{"huge", 1e300}, {"v", {1, 1e300}}};
  EXPECT_EQ(at<double>(json, "huge", "f.json"), 1e300);
  EXPECT_ERROR(at<float>(json, "huge", "f.json"), ParseError, "a number in range, found 1e+300");
  EXPECT_ERROR(at<std::vector<int>>(json, "v", "f.json"), ParseError, "an integer in range, found 1e+300");
}

// Copies, comparisons and dump() of a Json recurse: deep nesting would overflow the stack.
TEST_F(JsonTest, HasALimitedDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  write_file_atomically(path_, nested(max_json_depth));
  EXPECT_EQ(read_json(path_).dump(), nested(max_json_depth));
  EXPECT_NO_THROW(write_json(path_, read_json(path_)));
  for (const std::size_t depth : {std::size_t{max_json_depth + 1}, std::size_t{1000000}}) {
    write_file_atomically(path_, "\n" + nested(depth));
    EXPECT_ERROR(read_json(path_), ParseError, ":2:257: nested deeper than 256");
    EXPECT_ERROR(write_json(path_, Json::parse(nested(depth))), InvalidArgument, "nested deeper than 256");
  }
  write_file_atomically(path_, "\"\\\"" + std::string(1000, '[') + "\"");  // brackets in a string
  EXPECT_EQ(read_json(path_).get<std::string>().size(), 1001u);
}

TEST_F(JsonTest, HasALimitedSize) {
  write_file_atomically(path_, "1");
  std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(max_json_bytes) + 1);
  EXPECT_ERROR(read_json(path_), Error, "it is larger than 67108864 bytes");
}

}  // namespace
}  // namespace triptych
