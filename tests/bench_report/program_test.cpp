#include <triptych/core/file.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/program.hpp"
#include "samples.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::report {
namespace {

class Program : public testing::Test {
 protected:
  int run_with(const std::vector<std::string>& arguments) {
    out_.str("");
    err_.str("");
    return run(arguments, out_, err_);
  }

  // Exit code 1, one line that contains part, nothing on out and no folder made.
  void expect_refusal(const std::vector<std::string>& arguments, const std::string& part) {
    EXPECT_EQ(run_with(arguments), 1);
    const std::string words = err_.str();
    EXPECT_NE(words.find(part), std::string::npos) << words;
    EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1) << words;
    EXPECT_EQ(out_.str(), "");
    EXPECT_FALSE(std::filesystem::exists(target_));
  }

  std::string file(const std::string& name, const std::string& text) {
    write_file_atomically(directory_ / name, text);
    return (directory_ / name).string();
  }

  triptych::test::TemporaryDirectory directory_;
  std::string target_ = (directory_ / "report").string();
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Program, WritesTheReportAndSaysWhere) {
  const std::string input = file("in.json", test::results_json(test::sample_entries()).dump());
  ASSERT_EQ(run_with({"--out", target_, input}), 0) << err_.str();
  EXPECT_EQ(err_.str(), "");
  for (const char* name : {"comparison.md", "sum_float.svg", "sum_float_share.svg", "multiply.svg",
                           "sum_cpu.svg", "skin_table.svg"}) {
    const std::string path = target_ + "/" + name;
    EXPECT_TRUE(std::filesystem::exists(path)) << name;
    EXPECT_NE(out_.str().find(path + ": "), std::string::npos) << out_.str();
  }
  const std::string text = read_text(target_ + "/comparison.md");
  EXPECT_TRUE(text.starts_with("# Benchmarks: Some GPU, Some CPU\n")) << text;
  EXPECT_EQ(text.find("some-host"), std::string::npos);
  EXPECT_EQ(text.find("/some/where"), std::string::npos);
  EXPECT_LT(text.find("## Limits"), text.find("## Verdict"));
  EXPECT_LT(text.find("## Verdict"), text.find("### float, rotating"));
  EXPECT_NE(text.find("](sum_float.svg)"), std::string::npos);
  EXPECT_NE(text.find("](skin_table.svg)"), std::string::npos);
  EXPECT_LT(text.find("](skin_table.svg)"), text.find("## The paper's Table 1"));
  EXPECT_LT(text.find("## The paper's Table 1"), text.find("| rgba/joint/total/1920x1080 | 200 |"));
}

TEST_F(Program, TheSameInputGivesTheSameBytes) {
  const std::string input = file("in.json", test::results_json(test::sample_entries()).dump());
  ASSERT_EQ(run_with({"--out=" + target_, input}), 0);
  const std::string again = (directory_ / "again").string();
  ASSERT_EQ(run_with({input, "--out", again}), 0);
  std::int64_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(target_)) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(read_text(entry.path()), read_text(std::filesystem::path(again) / name)) << name;
    ++count;
  }
  EXPECT_EQ(count, 6);
}

TEST_F(Program, RefusesBadInputInOneSentence) {
  const std::string good = file("good.json", test::results_json(test::sample_entries()).dump());
  const std::string absent = (directory_ / "absent.json").string();
  expect_refusal({"--out", target_, good, absent}, "cannot read " + absent);
  expect_refusal({"--out", target_, good, file("empty.json", "")}, "empty.json: the file is empty");
  expect_refusal({"--out", target_, file("text.json", "hello")}, "text.json:1:1: this is not JSON");
  expect_refusal({"--out", target_, file("binary.json", std::string("\0\xff\n\n", 4))}, "this is not JSON");
  expect_refusal({"--out", target_, file("list.json", "[1]")}, "list.json: this is JSON, but no results");
  expect_refusal({"--out", target_, file("none.json", test::results_json({}).dump())},
                 "none.json: there are no benchmarks");
}

TEST_F(Program, RefusesBadArguments) {
  expect_refusal({}, "no result file given");
  expect_refusal({"x.json"}, "no --out given");
  expect_refusal({"x.json", "--out"}, "--out needs a folder");
  expect_refusal({"--outt", "x"}, "no option --outt");
}

TEST_F(Program, AFileInTheWayIsNamed) {
  const std::string good = file("good.json", test::results_json(test::sample_entries()).dump());
  EXPECT_EQ(run_with({"--out", good, good}), 1);
  EXPECT_NE(err_.str().find("cannot create the folder " + good), std::string::npos) << err_.str();
}

TEST_F(Program, HelpTeaches) {
  EXPECT_EQ(run_with({"--help"}), 0);
  EXPECT_NE(out_.str().find("usage: bench_report --out DIR FILE.json..."), std::string::npos);
  EXPECT_NE(out_.str().find("--benchmark_out"), std::string::npos);
}

}  // namespace
}  // namespace triptych::report
