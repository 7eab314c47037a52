// background_scene: repeatable pictures of many kinds, of any size.
#include <triptych/aam_fit/synthetic_face.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

double deviation_of(const Image<Grey8>& image) {
  double sum = 0, squares = 0;
  for (const Grey8& p : image.pixels) {
    const auto grey = static_cast<double>(p.v);
    sum += grey;
    squares += grey * grey;
  }
  const auto count = static_cast<double>(image.pixels.size());
  return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

TEST(BackgroundScene, IsTheSameForTheSameNumbers) {
  EXPECT_EQ(background_scene(3, 5, 60, 40).pixels, background_scene(3, 5, 60, 40).pixels);
  EXPECT_NE(background_scene(3, 5, 60, 40).pixels, background_scene(3, 6, 60, 40).pixels);
  EXPECT_NE(background_scene(3, 5, 60, 40).pixels, background_scene(4, 5, 60, 40).pixels);
}

// Mean and contrast of 200 scenes: dark and bright ones, faint and strong ones, hardly any flat.
TEST(BackgroundScene, Varies) {
  std::set<int> levels;
  int flat = 0, faint = 0, strong = 0;
  for (int i = 0; i < 200; ++i) {
    const Image<Grey8> scene = background_scene(1, i, 48, 48);
    double sum = 0;
    for (const Grey8& p : scene.pixels) sum += p.v;
    levels.insert(static_cast<int>(sum / 48 / 48 / 32));
    const double deviation = deviation_of(scene);
    flat += deviation < 1 ? 1 : 0;
    faint += deviation < 15 ? 1 : 0;
    strong += deviation > 40 ? 1 : 0;
  }
  EXPECT_GE(levels.size(), 6u);  // of 8
  EXPECT_LE(flat, 10);
  EXPECT_GE(faint, 20);
  EXPECT_GE(strong, 20);
}

TEST(BackgroundScene, HasAnySize) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 33}, {31, 2}, {127, 64}}) {
    const Image<Grey8> scene = background_scene(1, 7, width, height);
    EXPECT_EQ(scene.width, width);
    EXPECT_EQ(scene.height, height);
    EXPECT_EQ(std::ssize(scene.pixels), width * height);
  }
  EXPECT_ERROR(background_scene(1, 7, 0, 5), InvalidArgument, "0 x 5 pixels");
  EXPECT_ERROR(background_scene(1, 7, 5, 8193), InvalidArgument, "sides are 1 to 8192");
}

}  // namespace
}  // namespace triptych::aam_fit
