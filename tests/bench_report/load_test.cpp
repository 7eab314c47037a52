#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <gtest/gtest.h>

#include "report/load.hpp"
#include "samples.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::report {
namespace {

using test::entry;

TEST(ParseResults, ReadsEntries) {
  const Results all = test::results({entry("sum/float/automatic/rotating/1024", 2.5, 2.25, 3, 4096)});
  ASSERT_EQ(all.entries.size(), 1u);
  const Entry& one = all.entries[0];
  EXPECT_EQ(one.time_us, 2.5);
  EXPECT_EQ(one.low_us, 2.25);
  EXPECT_EQ(one.high_us, 3);
  EXPECT_EQ(one.bytes, 4096);
  EXPECT_FALSE(one.share);
}

TEST(ParseResults, ConvertsUnits) {
  const std::vector<std::pair<const char*, double>> units = {
      {"ns", 0.004}, {"us", 4}, {"ms", 4e3}, {"s", 4e6}};
  for (const auto& [unit, expected] : units) {
    Json one = entry("x", 4);
    one["time_unit"] = unit;
    EXPECT_DOUBLE_EQ(test::results({one}).entries[0].time_us, expected);
  }
}

TEST(ParseResults, ReadsTheTimesOfPeers) {
  const Json peer = {{"name", "skin/rgba/peer_opencv/x/threads:2"}, {"us", 7}, {"low_us", 6}, {"high_us", 8}};
  const Results all = test::results({peer, {{"name", "a"}, {"us", 0}}});
  ASSERT_EQ(all.entries.size(), 1u);
  EXPECT_EQ(all.entries[0].time_us, 7);
  EXPECT_EQ(all.entries[0].high_us, 8);
  EXPECT_EQ(all.failures.at(0).reason, "its time makes no sense: 0 us");
  Json both = entry("a", 4);
  both["us"] = 9;  // somebody's counter
  EXPECT_EQ(test::results({both}).entries[0].time_us, 4);
  EXPECT_ERROR(test::results({{{"name", "a"}, {"us", "x"}}}), ParseError, "to be a number");
}

TEST(ParseResults, NamesTheHardwareButNotTheHost) {
  const Results all = test::results({entry("x", 1)});
  EXPECT_EQ(fact(all, "gpu"), "Some GPU");
  EXPECT_EQ(fact(all, "date"), "2026-01-02");
  EXPECT_EQ(all.facts.front().first, "gpu");
  for (const auto& [key, value] : all.facts) {
    EXPECT_EQ(value.find("some-host"), std::string::npos) << key;
    EXPECT_EQ(value.find('/'), std::string::npos) << key;
  }
}

TEST(ParseResults, KeepsFailuresApart) {
  const Json failed = {{"name", "a"}, {"error_occurred", true}, {"error_message", "no /x/y.cu memory"}};
  const Json skipped = {{"name", "b"}, {"skipped", true}, {"skip_message", "no GPU"}};
  const Results all = test::results({failed, skipped, entry("c", 0), entry("d", 1)});
  ASSERT_EQ(all.failures.size(), 3u);
  EXPECT_EQ(all.failures[0].reason, "no y.cu memory");
  EXPECT_EQ(all.failures[1].reason, "skipped: no GPU");
  EXPECT_EQ(all.failures[2].reason, "its time makes no sense: 0 us");
  EXPECT_EQ(all.entries.size(), 1u);
}

TEST(ParseResults, TakesTheMiddleOfRepetitions) {
  Json mean = entry("a_mean", 5);
  mean["run_type"] = "aggregate";
  const Results all = test::results({entry("a", 9), entry("b", 1), entry("a", 2), entry("a", 3), mean});
  ASSERT_EQ(all.entries.size(), 2u);
  EXPECT_EQ(all.entries[0].name.text, "a");
  EXPECT_EQ(all.entries[0].time_us, 3);
  EXPECT_EQ(all.entries[1].name.text, "b");
}

TEST(ParseResults, RejectsOtherJson) {
  EXPECT_ERROR(parse_results(Json::array(), "f.json"), ParseError, "f.json: this is JSON, but no results");
  EXPECT_ERROR(parse_results({{"benchmarks", 1}}, "f.json"), ParseError, "a list \"benchmarks\"");
  EXPECT_ERROR(parse_results({{"benchmarks", Json::array()}}, "f.json"), ParseError, "\"context\"");
  EXPECT_ERROR(test::results({}), ParseError, "sample.json: there are no benchmarks");
  EXPECT_ERROR(test::results({Json(3)}), ParseError, "sample.json: expected an object with the key \"name\"");
  EXPECT_ERROR(test::results({{{"name", "a"}}}), ParseError, "\"real_time\"");
  EXPECT_ERROR(test::results({{{"name", "a"}, {"real_time", "x"}}}), ParseError, "to be a number");
  EXPECT_ERROR(test::results({{{"name", "a"}, {"real_time", 1}, {"time_unit", "h"}}}), ParseError,
               "found \"h\"");
}

class Load : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    write_file_atomically(directory_ / name, text);
    return directory_ / name;
  }
  static Results load_all(const std::vector<std::filesystem::path>& files) { return load(files); }

  triptych::test::TemporaryDirectory directory_;
};

TEST_F(Load, NamesTheFileThatIsWrong) {
  EXPECT_ERROR(load_all({directory_ / "absent.json"}), Error, "absent.json");
  EXPECT_ERROR(load_all({file("empty.json", "\n")}), ParseError, "empty.json: the file is empty");
  EXPECT_ERROR(load_all({file("bad.json", "{\n x")}), ParseError, "bad.json:2:2: this is not JSON");
  EXPECT_ERROR(load_all({file("other.json", "{}")}), ParseError, "other.json: this is JSON, but");
  EXPECT_ERROR(load_all({directory_.path()}), Error, directory_.path().string());
}

TEST_F(Load, JoinsFilesOfOneMachineOnly) {
  Json a = test::results_json({entry("a", 1)});
  Json b = test::results_json({entry("b", 2)});
  b["context"]["mode"] = "quick";
  const Results all = load_all({file("a.json", a.dump()), file("b.json", b.dump())});
  EXPECT_EQ(all.entries.size(), 2u);
  EXPECT_EQ(fact(all, "mode"), "full, quick");
  b["context"]["gpu"] = "Another GPU";
  EXPECT_ERROR(load_all({file("a.json", a.dump()), file("b.json", b.dump())}), InvalidArgument,
               "b.json was measured on another gpu (Another GPU)");
}

TEST_F(Load, AMachineNamedIsTheSameAsDescribed) {
  Json bench = test::results_json({entry("a", 1)});
  bench["context"]["gpu"] = "GPU 0: Some GPU, 4 multiprocessors";
  bench["context"]["cpu"] = "CPU: Some CPU, 8 of 8 logical cores, 1 GiB";
  Json peers = {{"context", {{"cpu", "Some CPU"}, {"gpu", "Some GPU"}, {"cores", 8}, {"opencv", "5.0.0"}}},
                {"benchmarks", {{{"name", "b"}, {"us", 2}}}}};
  const auto both = [&](bool peers_first) {
    const auto a = file("a.json", bench.dump());
    const auto b = file("b.json", peers.dump());
    return peers_first ? load_all({b, a}) : load_all({a, b});
  };
  for (const bool peers_first : {false, true}) {
    const Results all = both(peers_first);
    EXPECT_EQ(all.entries.size(), 2u);
    EXPECT_EQ(fact(all, "gpu"), "GPU 0: Some GPU, 4 multiprocessors");
    EXPECT_EQ(fact(all, "cpu"), "CPU: Some CPU, 8 of 8 logical cores, 1 GiB");
    EXPECT_EQ(fact(all, "logical cores"), "8");
    EXPECT_EQ(fact(all, "opencv"), "5.0.0");
  }
  peers["context"]["cpu"] = "Some";
  EXPECT_ERROR(both(false), InvalidArgument, "b.json was measured on another cpu (Some)");
  peers["context"]["cpu"] = "Some CPU";
  peers["context"]["cores"] = 16;
  EXPECT_ERROR(both(false), InvalidArgument, "b.json was measured on another number of logical cores (16)");
  EXPECT_ERROR(both(true), InvalidArgument, "a.json was measured on another number of logical cores (8)");
}

TEST_F(Load, ChangedBytesAreParsedOrRejected) {
  const std::string valid = test::results_json({entry("sum/float/automatic/rotating/1024", 2)}).dump();
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    std::string text = valid;
    const std::string changes = triptych::test::random_text(4, seed);
    const auto place = triptych::test::random_values<std::size_t>(2, 0, text.size() - 1, seed);
    text[place[0]] = changes[0];
    text[place[1]] = static_cast<char>(changes[1] & 0x7f);
    try {
      parse_results(Json::parse(text), "changed.json");
    } catch (const Json::parse_error&) {
    } catch (const ParseError& error) {
      EXPECT_EQ(error.file(), "changed.json");
    }
  }
}

}  // namespace
}  // namespace triptych::report
