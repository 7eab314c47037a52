// Strips cover the rows once each, in order, and get shorter towards the end.
#include "strips.hpp"

#include <gtest/gtest.h>

#include <string>

namespace triptych::skin_tracker {
namespace {

TEST(Strips, CoverEveryRowOnceInOrder) {
  for (const int rows : {0, 1, 2, 5, 6, 7, 97, 480, 1080, 2161, 4352, 8192}) {
    for (const int workers : {1, 2, 3, 7, 16, 64, 256}) {
      const Strips strips(rows, workers);
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(workers) + " workers");
      EXPECT_LE(strips.count(), Strips::most);
      int row = 0;
      for (int i = 0; i < strips.count(); ++i) {
        EXPECT_EQ(strips.begin(i), row);
        EXPECT_GT(strips.end(i), row);
        row = strips.end(i);
      }
      EXPECT_EQ(row, rows);
    }
  }
}

TEST(Strips, OneWorkerGetsOne) { EXPECT_EQ(Strips(1080, 1).count(), 1); }

// What a thread may have left when the others are done is a strip: the last ones must be short.
TEST(Strips, GetShorter) {
  for (const int workers : {2, 8, 16}) {
    const Strips strips(1080, workers);
    const auto height = [&](int i) { return strips.end(i) - strips.begin(i); };
    for (int i = 1; i < strips.count(); ++i) EXPECT_LE(height(i), height(i - 1)) << i;
    EXPECT_GE(height(0), 1080 / (2 * workers));
    EXPECT_LE(height(strips.count() - 1), 6);
    EXPECT_GE(strips.count(), 3 * workers);
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
