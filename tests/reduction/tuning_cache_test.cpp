// The tuning cache: storage, damaged files, and the choice by measurement.
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/reduction/autotune.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "testing/temporary_directory.hpp"

namespace triptych::reduction {
namespace {

namespace fs = std::filesystem;

class TuningCacheTest : public testing::Test {
 protected:
  const test::TemporaryDirectory directory_;
  const fs::path folder_ = directory_.path();
  const fs::path file_ = folder_ / "tuning.json";
};

TEST_F(TuningCacheTest, WithoutAFileRemembersInMemory) {
  TuningCache cache;
  EXPECT_EQ(cache.find("gpu", "key"), std::nullopt);
  cache.remember("gpu", "key", "choice");
  EXPECT_EQ(cache.find("gpu", "key"), "choice");
  EXPECT_EQ(cache.find("other gpu", "key"), std::nullopt);
  EXPECT_NO_THROW(cache.save());
  EXPECT_EQ(cache.size(), 1u);
}

TEST_F(TuningCacheTest, ComesBackFromItsFile) {
  {
    TuningCache cache(folder_ / "new" / "folders" / "tuning.json");
    EXPECT_NE(cache.note().find("does not exist yet"), std::string::npos) << cache.note();
    cache.remember("gpu \"A\"\n", "kéy", "choice\\1");
    cache.remember("gpu B", "key", "2");
    cache.save();
  }
  const TuningCache again(folder_ / "new" / "folders" / "tuning.json");
  EXPECT_EQ(again.note(), "");
  EXPECT_EQ(again.size(), 2u);
  EXPECT_EQ(again.find("gpu \"A\"\n", "kéy"), "choice\\1");
  EXPECT_EQ(again.find("gpu B", "key"), "2");
}

TEST_F(TuningCacheTest, OthersEntriesAreKeptAndOnesOwnWin) {
  TuningCache first(file_), second(file_);
  first.remember("gpu", "a", "first");
  first.remember("gpu", "both", "first");
  first.save();
  second.remember("gpu", "b", "second");
  second.remember("gpu", "both", "second");
  second.save();
  TuningCache third(file_);
  EXPECT_EQ(third.find("gpu", "a"), "first");
  EXPECT_EQ(third.find("gpu", "b"), "second");
  EXPECT_EQ(third.find("gpu", "both"), "second");
  // entries that were only read do not replace entries that were saved since
  TuningCache fourth(file_);
  fourth.remember("gpu", "a", "newer");
  fourth.save();
  third.remember("gpu", "c", "third");
  third.save();
  EXPECT_EQ(TuningCache(file_).find("gpu", "a"), "newer");
  EXPECT_EQ(TuningCache(file_).size(), 4u);
}

TEST_F(TuningCacheTest, ProcessesThatSaveTogetherLoseNothing) {
  constexpr int processes = 4, entries = 10;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        for (int k = 0; k < entries; ++k) {
          TuningCache cache(file_);
          cache.remember("gpu", std::to_string(p) + "/" + std::to_string(k), "x");
          cache.save();
        }
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
  }
  for (int p = 0; p < processes; ++p) {
    int status = 1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  const TuningCache cache(file_);
  EXPECT_EQ(cache.note(), "");
  EXPECT_EQ(cache.size(), std::size_t{processes * entries});
}

TEST_F(TuningCacheTest, ForeignContentIsTakenAsEmptyAndReplaced) {
  const std::string start = R"({"format": "triptych tuning", "version": 1, "devices": )";
  const std::string contents[] = {"",
                                  " ",
                                  "\n",
                                  "null",
                                  "[]",
                                  "{}",
                                  "42",
                                  "\"text\"",
                                  "not json",
                                  "{\"format\": 1}",
                                  R"({"format": "another program", "version": 1, "devices": {}})",
                                  R"({"format": "triptych tuning", "version": 2, "devices": {}})",
                                  R"({"format": "triptych tuning", "version": "1", "devices": {}})",
                                  R"({"format": "triptych tuning", "version": 1e99, "devices": {}})",
                                  R"({"format": "triptych tuning", "version": 1})",
                                  start + "[]}",
                                  start + "{\"gpu\": []}}",
                                  start + "{\"gpu\": {\"key\": 1}}}",
                                  start + "{\"gpu\": {\"key\": null}}}",
                                  start + "{\"gpu\": {\"key\": \"x\"}}",
                                  start + "{\"\xff\xfe\": {}}}",
                                  std::string("\0\0\0\0", 4),
                                  std::string("\x7f"
                                              "ELF\x02\x01\x01",
                                              7),
                                  std::string(100000, '['),
                                  std::string(5 << 20, ' ') + "{}",
                                  "<html></html>",
                                  "\xef\xbb\xbf"};
  for (const std::string& content : contents) {
    write_file_atomically(file_, content);
    TuningCache cache(file_);
    SCOPED_TRACE(content.substr(0, 100));
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_FALSE(cache.note().empty());
    EXPECT_LT(cache.note().size(), 1000u);
    cache.remember("gpu", "key", "choice");
    cache.save();
    EXPECT_EQ(TuningCache(file_).find("gpu", "key"), "choice");
    EXPECT_EQ(TuningCache(file_).size(), 1u);
  }
}

TEST_F(TuningCacheTest, RandomDamageIsSurvived) {
  TuningCache cache(file_);
  for (int k = 0; k < 5; ++k) cache.remember("gpu", "rows " + std::to_string(k), to_string(RowPlan{}));
  cache.save();
  const std::string good = read_text(file_);
  PhiloxStream random(31337, 0);
  for (int k = 0; k < 1500; ++k) {
    std::string text = good;
    switch (random.next() % 3) {
      case 0:
        text.resize(random.next() % text.size());
        break;
      case 1:
        for (int change = 0; change < 4; ++change) {
          text[random.next() % text.size()] = static_cast<char>(random.next() % 256);
        }
        break;
      default:
        text.insert(random.next() % text.size(),
                    text.substr(random.next() % text.size(), random.next() % 40));
    }
    std::ofstream(file_, std::ios::binary) << text;
    const TuningCache damaged(file_);
    EXPECT_TRUE(damaged.note().empty() || damaged.size() == 0) << text;
  }
}

TEST_F(TuningCacheTest, FoldersAndUnwritablePlaces) {
  fs::create_directory(file_);  // inside, so that the lock beside it goes with the test's folder
  const TuningCache folder(file_);
  EXPECT_FALSE(folder.note().empty());
  EXPECT_THROW(folder.save(), Error);
  const TuningCache device("/dev/null/no/such.json");
  EXPECT_THROW(device.save(), Error);
  EXPECT_EQ(TuningCache("/dev/zero").size(), 0u);
}

TEST_F(TuningCacheTest, TextThatIsNotUtf8IsRefusedBeforeItSpoilsASave) {
  TuningCache cache(file_);
  EXPECT_THROW(cache.remember("\xff", "key", "choice"), InvalidArgument);
  EXPECT_THROW(cache.remember("gpu", "\xc3", "choice"), InvalidArgument);
  EXPECT_THROW(cache.remember("gpu", "key", "\x80"), InvalidArgument);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_NO_THROW(cache.save());
}

TEST_F(TuningCacheTest, DefaultFileFollowsTheEnvironment) {
  ::setenv("TRIPTYCH_TUNING_CACHE", "/somewhere/else.json", 1);
  EXPECT_EQ(TuningCache::default_file(), "/somewhere/else.json");
  ::unsetenv("TRIPTYCH_TUNING_CACHE");
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(TuningCache::default_file(), "/caches/triptych/tuning.json");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(TuningCache::default_file(), "/home/somebody/.cache/triptych/tuning.json");
}

TEST_F(TuningCacheTest, TuneRowsMeasuresOnceAndTakesTheFastest) {
  const std::vector<RowPlan> plans = {
      {1, 0, 1, 1, false}, {8, 0, 1, 1, false}, {32, 0, 1, 1, false}, {4, 0, 1, 1, false}};
  int calls = 0;
  const auto measure = [&](const RowPlan& plan) -> double {
    ++calls;
    if (plan.lanes == 1) throw std::runtime_error("does not launch");
    if (plan.lanes == 4) return std::nan("");
    return plan.lanes == 8 ? 2.0 : 3.0;
  };
  TuningCache cache(file_);
  EXPECT_EQ(tune_rows(cache, "gpu", 64, 4096, plans, measure), plans[1]);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(tune_rows(cache, "gpu", 64, 4096, plans, measure), plans[1]);
  EXPECT_EQ(calls, 4);
  cache.save();
  TuningCache again(file_);
  EXPECT_EQ(tune_rows(again, "gpu", 64, 4096, plans, measure), plans[1]);
  EXPECT_EQ(calls, 4);
  tune_rows(again, "gpu", 65, 4096, plans, measure);
  EXPECT_EQ(calls, 8);
  tune_rows(again, "another gpu", 64, 4096, plans, measure);
  EXPECT_EQ(calls, 12);
}

TEST_F(TuningCacheTest, TuneRowsDoesNotTrustTheFile) {
  const std::vector<RowPlan> plans = {{8, 0, 1, 1, false}};
  const auto measure = [](const RowPlan&) { return 1.0; };
  TuningCache cache(file_);
  tune_rows(cache, "gpu", 1, 2, plans, measure);
  cache.save();
  std::string text = read_text(file_);
  text.replace(text.find("lanes=8"), 7, "lanes=7");
  write_file_atomically(file_, text);
  TuningCache damaged(file_);
  EXPECT_EQ(damaged.size(), 1u);
  EXPECT_EQ(tune_rows(damaged, "gpu", 1, 2, plans, measure), plans[0]);
}

TEST_F(TuningCacheTest, TuneRowsSaysWhyNothingCouldBeChosen) {
  TuningCache cache;
  EXPECT_THROW(tune_rows(cache, "gpu", 1, 1, {}, [](const RowPlan&) { return 1.0; }), InvalidArgument);
  try {
    tune_rows(cache, "gpu", 1, 1, {RowPlan{}},
              [](const RowPlan&) -> double { throw std::runtime_error("no kernel"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no kernel"), std::string::npos) << error.what();
  }
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace triptych::reduction
