#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/json.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::skin_tracker {
namespace {

namespace fs = std::filesystem;

// As a new file: some file systems flush a file that is cut and written again.
void write(const fs::path& path, const std::string& text) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

GaussianPair a_pair(ColourSpace space) {
  return {space,
          {{150.1, 110.2, 1.0 / 3}, {0.01, 0.002, 1e-17, 0.002, 0.02, 0, 1e-17, 0, 0.1}, -7.3},
          {{128, 128, 0.1}, {0.001, 0, 0, 0, 0.002, 0, 0, 0, 0.3}, -9.123456789012345}};
}

HistogramRatio a_histogram(int bits) {
  return {bits, test::random_values<float>(std::int64_t{1} << (3 * bits), 0.0f, 1.0f, 4)};
}

std::vector<Classifier> one_of_each() {
  return {LinearFilter{0.1, -1.0 / 3, 2e-5, -0.7},
          a_pair(ColourSpace::rgb),
          a_pair(ColourSpace::crcb),
          a_pair(ColourSpace::rg),
          a_pair(ColourSpace::hsv),
          ChrominanceEllipse{{151.5, 109.25}, {0.02, 0.005, 0.01}, 4.5, 3.25},
          a_histogram(3)};
}

class ClassifierFile : public testing::Test {
 protected:
  // The message when loading fails with a ParseError, "" when it succeeds.
  std::string problem() {
    try {
      static_cast<void>(load_classifier(file_));
    } catch (const ParseError& error) {
      return error.what();
    }
    return "";
  }

  // Saves, lets change alter the JSON, loads.
  template <class Change>
  std::string problem_after(const Classifier& classifier, Change&& change) {
    save_classifier(file_, classifier);
    Json json = read_json(file_);
    change(json);
    write_json(file_, json);
    return problem();
  }

  test::TemporaryDirectory directory_;
  fs::path file_ = directory_ / "skin.json";
  fs::path table_ = directory_ / "skin.json.table";
};

#define EXPECT_CONTAINS(text, part)                                        \
  do {                                                                     \
    const std::string found = text;                                        \
    EXPECT_NE(found.find(part), std::string::npos) << '"' << found << '"'; \
  } while (false)

TEST_F(ClassifierFile, GivesBackTheSameWeights) {
  std::size_t kind = 0;
  for (const Classifier& classifier : one_of_each()) {
    save_classifier(file_, classifier);
    const Classifier loaded = load_classifier(file_);
    EXPECT_EQ(name_of(loaded), name_of(classifier));
    EXPECT_EQ(name_of(loaded), classifier_names()[kind++]);
    for (int i = 0; i < 4096; ++i) {
      const Rgb8 c{static_cast<std::uint8_t>(i >> 8 << 4 | 3), static_cast<std::uint8_t>(i & 0xF0),
                   static_cast<std::uint8_t>(i << 4)};
      ASSERT_EQ(weight(loaded, c), weight(classifier, c)) << name_of(classifier);
    }
  }
  EXPECT_EQ(directory_.entry_count(), 2);
}

TEST_F(ClassifierFile, KeepsHistogramsOfAllSizes) {
  for (const int bits : {1, 5, 7}) {
    const HistogramRatio histogram = a_histogram(bits);
    save_classifier(file_, histogram);
    EXPECT_EQ(std::get<HistogramRatio>(load_classifier(file_)).share, histogram.share);
  }
}

TEST_F(ClassifierFile, ThatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  for (const Classifier& classifier : one_of_each()) {
    EXPECT_ERROR(save_classifier(directory_ / "absent/skin.json", classifier), Error, "absent");
  }
  EXPECT_ERROR(save_classifier(file_, HistogramRatio{4, {}}), InvalidArgument, "4096 cells");
  EXPECT_EQ(directory_.entry_count(), 0);
}

TEST_F(ClassifierFile, ThatIsNotThereIsAnError) {
  EXPECT_ERROR(load_classifier(file_), Error, file_.string());
}

TEST_F(ClassifierFile, ThatIsForeignIsNamed) {
  write(file_, "not json");
  EXPECT_CONTAINS(problem(), file_.string() + ":1:");
  for (const char* text : {"[1, 2]", "{}", "3", R"({"format": 7})", R"({"format": "other", "version": 1})"}) {
    write(file_, text);
    EXPECT_CONTAINS(problem(), file_.string());
    EXPECT_CONTAINS(problem(), "format");
  }
}

TEST_F(ClassifierFile, SaysWhatIsWrong) {
  const Classifier linear = one_of_each()[0], pair = one_of_each()[2], ellipse = one_of_each()[5];
  EXPECT_CONTAINS(problem_after(linear, [](Json& j) { j["version"] = 2; }), "expected version 1, found 2");
  EXPECT_CONTAINS(problem_after(linear, [](Json& j) { j["classifier"] = "tree"; }), "gaussian_crcb");
  EXPECT_CONTAINS(problem_after(linear, [](Json& j) { j.erase("filter"); }), "\"filter\", which is missing");
  EXPECT_CONTAINS(problem_after(linear, [](Json& j) { j["filter"] = {1, 2, 3}; }), "4 numbers, found 3");
  EXPECT_CONTAINS(problem_after(linear, [](Json& j) { j["filter"][2] = nullptr; }), "number 2 of \"filter\"");
  EXPECT_CONTAINS(problem_after(linear, [](Json& j) { j["filter"][3] = "0.5"; }), "number 3 of \"filter\"");
  EXPECT_CONTAINS(problem_after(pair, [](Json& j) { j["skin"]["precision"] = {1, 2}; }), "9 numbers");
  EXPECT_CONTAINS(problem_after(pair, [](Json& j) { j["other"]["precision"][1] = 5; }), "symmetric");
  EXPECT_CONTAINS(problem_after(pair, [](Json& j) { j["other"] = 5; }), "mean");
  EXPECT_CONTAINS(problem_after(pair, [](Json& j) { j["skin"]["log_scale"] = nullptr; }), "log_scale");
  EXPECT_CONTAINS(problem_after(ellipse, [](Json& j) { j["edge"] = 0; }), "\"edge\"");
  EXPECT_CONTAINS(problem_after(ellipse, [](Json& j) { j["softness"] = 10; }), "\"softness\"");
  EXPECT_CONTAINS(problem_after(ellipse, [](Json& j) { j["precision"][1] = 9; }), "ellipse");
}

// Such a file could not be loaded.
TEST_F(ClassifierFile, NumbersThatAreNotFiniteAreNotSaved) {
  EXPECT_ERROR(save_classifier(file_, LinearFilter{std::numeric_limits<double>::quiet_NaN(), 0, 0, 0}),
               InvalidArgument, "not finite");
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(ClassifierFile, TablesAreChecked) {
  const Classifier histogram = a_histogram(2);
  const auto problem_with_table = [&](auto&& change) {
    save_classifier(file_, histogram);
    std::string bytes = read_text(table_);
    change(bytes);
    write(table_, bytes);
    return problem();
  };
  EXPECT_EQ(problem_with_table([](std::string&) {}), "");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b.pop_back(); }), "280 bytes, found 279");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b += 'x'; }), "found 281");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b.clear(); }), "found 0");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b[0] = 'X'; }), "first bytes");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b[8] = 9; }), "expected version 1, found 9");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b[12] = 5; }), "2 bits per channel, found 5");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b[16] = static_cast<char>(b[16] + 1); }),
                  "damaged");
  EXPECT_CONTAINS(problem_with_table([](std::string& b) { b[100] = static_cast<char>(b[100] ^ 1); }),
                  "damaged");
  EXPECT_CONTAINS(problem(), table_.string());

  save_classifier(file_, histogram);
  fs::remove(table_);
  EXPECT_CONTAINS(problem(), table_.string());
  save_classifier(file_, histogram);
  fs::remove(table_);
  fs::create_directory(table_);
  EXPECT_CONTAINS(problem(), table_.string());
  fs::remove(table_);
  EXPECT_CONTAINS(problem_after(histogram, [](Json& j) { j["bits"] = 3; }), "bytes");
  EXPECT_CONTAINS(problem_after(histogram, [](Json& j) { j["bits"] = 30; }), "1 to 8");
  EXPECT_CONTAINS(problem_after(histogram, [](Json& j) { j["bits"] = -1; }), "1 to 8");

  save_classifier(directory_ / "b.json", HistogramRatio{2, std::vector<float>(64, 0.5f)});
  save_classifier(file_, histogram);
  fs::copy_file(directory_ / "b.json.table", table_, fs::copy_options::overwrite_existing);
  EXPECT_CONTAINS(problem(), "belongs to another classifier");
}

TEST_F(ClassifierFile, SharesOutsideZeroToOneAreRefused) {
  for (const float share : {-0.1f, 1.1f, std::numeric_limits<float>::quiet_NaN()}) {
    HistogramRatio histogram = a_histogram(1);
    save_classifier(file_, histogram);
    // In the files of a good one, with checksums that match.
    std::string bytes = read_text(table_);
    constexpr std::size_t header = 24, cell = header + 3 * sizeof share;
    std::memcpy(bytes.data() + cell, &share, sizeof share);
    std::uint64_t sum = 0xCBF29CE484222325u;
    for (std::size_t i = header; i < bytes.size(); ++i)
      sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 0x100000001B3u;
    std::string words;
    for (int i = 15; i >= 0; --i) words.push_back("0123456789abcdef"[sum >> (4 * i) & 15]);
    for (std::size_t i = 0; i < 8; ++i) bytes[16 + i] = static_cast<char>(sum >> (8 * i) & 255);
    write(table_, bytes);
    Json json = read_json(file_);
    json["table_checksum"] = words;
    write_json(file_, json);
    EXPECT_CONTAINS(problem(), "cell 3 is not from 0 to 1");
    histogram.share[3] = share;
    EXPECT_ERROR(save_classifier(file_, histogram), InvalidArgument, "from 0 to 1");
  }
}

// Cuts, changes, repeats and inserts bytes.
std::string damaged(std::string bytes, std::uint64_t seed) {
  PhiloxStream random(seed, 0);
  const std::uint32_t changes = 1 + random.next() % 4;
  for (std::uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t place = random.next() % bytes.size();
    switch (random.next() % 5) {
      case 0:
        bytes.resize(place);
        break;
      case 1:
        bytes[place] = static_cast<char>(random.next());
        break;
      case 2:
        bytes[place] = "0123456789-+.eE{}[],:\"nul"[random.next() % 25];
        break;
      case 3:
        bytes.insert(place, bytes.substr(random.next() % bytes.size(), random.next() % 16));
        break;
      default:
        bytes.erase(place, 1 + random.next() % 8);
    }
  }
  return bytes;
}

TEST_F(ClassifierFile, DamageIsAParseErrorOrLeavesAClassifier) {
  std::vector<std::string> texts;
  for (const Classifier& classifier : one_of_each()) {
    save_classifier(file_, classifier);
    texts.push_back(read_text(file_));
  }
  int refused = 0;
  constexpr int trials = 3000;
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    write(file_, damaged(texts[seed % texts.size()], seed));
    try {
      const Classifier loaded = load_classifier(file_);
      const float w = weight(loaded, Rgb8{200, 140, 120});
      ASSERT_TRUE(w >= 0 && w <= 1) << w;
    } catch (const ParseError& error) {
      ++refused;
      ASSERT_NE(std::string(error.what()).find("skin.json"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, trials / 2);
}

TEST_F(ClassifierFile, DamagedTablesAreParseErrors) {
  save_classifier(file_, a_histogram(2));
  const std::string bytes = read_text(table_);
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    const std::string changed = damaged(bytes, seed);
    write(table_, changed);
    ASSERT_EQ(problem().empty(), changed == bytes);
  }
}

class LabelledPixels : public testing::Test {
 protected:
  std::vector<LabelledPixel> read(const std::string& text) {
    write(file_, text);
    return read_labelled_pixels(file_);
  }
  test::TemporaryDirectory directory_;
  fs::path file_ = directory_ / "pixels.csv";
};

TEST_F(LabelledPixels, AreReadWithAnyLineEnds) {
  for (const char* text : {"1,2,3,1\n255,0,9,2\n", "1,2,3,1\r\n255,0,9,2\r\n", "1,2,3,1\r255,0,9,2",
                           "\n1,2,3,1\n\n\n255,0,9,2\n\n"}) {
    const auto pixels = read(text);
    ASSERT_EQ(pixels.size(), 2u);
    EXPECT_EQ(pixels[0].colour, (Rgb8{3, 2, 1}));
    EXPECT_TRUE(pixels[0].skin);
    EXPECT_EQ(pixels[1].colour, (Rgb8{9, 0, 255}));
    EXPECT_FALSE(pixels[1].skin);
  }
}

TEST_F(LabelledPixels, ErrorsHaveTheLine) {
  EXPECT_ERROR(read("1,2,3,1\n1,256,3,1\n"), ParseError,
               "pixels.csv:2:3: expected a green value from 0 to 255");
  EXPECT_ERROR(read("1,2,3,1\r\n1,2,3,1\r\n1,2,3\r\n"), ParseError, ":3:6: expected a comma");
  EXPECT_ERROR(read("B,G,R,label\n"), ParseError, ":1:1: expected a blue value");
  EXPECT_ERROR(read("1,2,3,0\n"), ParseError, ":1:7: expected a label from 1 to 2, found \"0\"");
  EXPECT_ERROR(read("1,2,3,1,4\n"), ParseError, ":1:8: expected the end of the line");
  EXPECT_ERROR(read("1,2,-3,1\n"), ParseError, ":1:5:");
  EXPECT_ERROR(read("1,2,99999999999999999999,1\n"), ParseError, ":1:5:");
  EXPECT_ERROR(read("1,2,3,"), ParseError, "the end of the file");
  EXPECT_ERROR(read(""), ParseError, "found none");
  EXPECT_ERROR(read_labelled_pixels(directory_ / "absent.csv"), Error, "absent.csv");
}

TEST_F(LabelledPixels, RandomBytesAreReadOrRefused) {
  const std::string valid = "74,85,123,1\r\n73,84,122,1\r\n0,255,7,2\r\n";
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    try {
      static_cast<void>(read(damaged(valid, seed)));
    } catch (const ParseError&) {
    }
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
