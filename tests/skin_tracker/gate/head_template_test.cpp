// HeadTemplate: where a learnt picture is found again, and how its response tells it from others. The raster
// that it is made from.
#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gate/head_template.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr int width = 320, height = 240;
constexpr CentredBox head{160, 120, 48, 64};

// A frame's brightness, 0 .. 1, as a function of place.
template <class F>
WeightMap map_of(const F& brightness, const CentredBox& part = {width / 2.0, height / 2.0, width, height}) {
  WeightMap map;
  map.place(part, 32, width, height);
  const auto samples = map.samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int column = static_cast<int>(i) % map.columns(), row = static_cast<int>(i) / map.columns();
    const double x = map.region().x + (column + 0.5) * map.step();
    const double y = map.region().y + (row + 0.5) * map.step();
    samples[i] = static_cast<std::uint16_t>(std::lround(65535 * brightness(x, y)));
  }
  map.sum_up();
  return map;
}

// Something like a head: a bright oval with eyes and a mouth, in front of a slope.
double face(double x, double y) {
  const auto blob = [&](double u, double v, double a, double b) {
    return std::exp(-std::pow((x - u) / a, 2) - std::pow((y - v) / b, 2));
  };
  return 0.25 + 0.0005 * x + 0.4 / (1 + std::exp(0.4 * (std::hypot(1.33 * x, y) - 30))) -
         0.3 * blob(-9, -8, 4, 2) - 0.3 * blob(9, -8, 4, 2) - 0.2 * blob(0, 15, 8, 2);
}
auto face_at(double x, double y, double scale = 1, double gain = 1) {
  return [=](double u, double v) { return gain * face((u - x) / scale, (v - y) / scale); };
}

// Waves of some directions and lengths, different for each number.
auto texture(std::uint32_t number) {
  return [=](double x, double y) {
    double sum = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Philox4x32 random = philox4x32({{number, i, 0, 0}}, 7, 0);
      const double angle = std::numbers::pi * double{uniform_below_one(random[0])};
      const double length = 6 + 30 * double{uniform_below_one(random[1])};
      const double phase = 2 * std::numbers::pi * double{uniform_below_one(random[2])};
      sum += std::sin(2 * std::numbers::pi / length * (x * std::cos(angle) + y * std::sin(angle)) + phase);
    }
    return 0.5 + 0.1 * sum;
  };
}

HeadTemplate learnt(const CentredBox& box = head) {
  HeadTemplate made;
  made.learn({map_of(face_at(box.x, box.y, box.width / head.width)), box}, 1);
  return made;
}

// A cell of the response is 2.5 / 16 of the box. Between cells a parabola finds the peak: within a half.
constexpr double half_cell = 0.5 * HeadTemplate::scale / HeadTemplate::cells;

TEST(HeadTemplate, RespondsToWhatItHasLearntAsItWasTold) {
  const HeadTemplate known = learnt();
  EXPECT_TRUE(known.known());
  EXPECT_FALSE(HeadTemplate().known());
  const HeadTemplate::Response response = known.match({map_of(face_at(head.x, head.y)), head});
  EXPECT_NEAR(response.peak_x(), head.x, 0.1);
  EXPECT_NEAR(response.peak_y(), head.y, 0.1);
  EXPECT_GT(response.sharpness(), 30);
  // A Gaussian of an eighth of the box. The ridge takes away little: the power at each frequency is well
  // above it.
  const double cell = HeadTemplate::scale / HeadTemplate::cells;
  for (int i = 0; i <= 3; ++i) {
    const double wanted = std::exp(-0.5 * std::pow(i * cell / 0.125, 2));
    EXPECT_NEAR(response.at(head.x + i * cell * head.width, head.y), wanted, 0.03) << i;
    EXPECT_NEAR(response.at(head.x, head.y - i * cell * head.height), wanted, 0.03) << i;
  }
  EXPECT_EQ(response.at(head.x + 2 * head.width, head.y), 0);
  EXPECT_EQ(response.at(std::numeric_limits<double>::quiet_NaN(), 0), 0);
}

TEST(HeadTemplate, FindsShiftsOfHalfABox) {
  const HeadTemplate known = learnt();
  for (const double dx : {-24.0, -7.0, 0.0, 3.5, 20.0}) {
    for (const double dy : {-30.0, -4.0, 9.0, 28.0}) {
      const HeadTemplate::Response response = known.match({map_of(face_at(head.x + dx, head.y + dy)), head});
      EXPECT_NEAR(response.peak_x(), head.x + dx, half_cell * head.width) << dx << ' ' << dy;
      EXPECT_NEAR(response.peak_y(), head.y + dy, half_cell * head.height) << dx << ' ' << dy;
    }
  }
}

TEST(HeadTemplate, FollowsTheBoxInSizeAndTheLight) {
  const HeadTemplate known = learnt();
  for (const double scale : {0.5, 0.8, 1.25, 1.5}) {
    const CentredBox box = head.scaled(scale);
    const HeadTemplate::Response response = known.match({map_of(face_at(head.x, head.y, scale)), box});
    EXPECT_NEAR(response.peak_x(), head.x, half_cell * box.width) << scale;
    EXPECT_NEAR(response.peak_y(), head.y, half_cell * box.height) << scale;
    EXPECT_GT(response.sharpness(), 12) << scale;
  }
  for (const double gain : {0.3, 0.6, 1.2}) {
    const HeadTemplate::Response response = known.match({map_of(face_at(head.x, head.y, 1, gain)), head});
    EXPECT_NEAR(response.peak_x(), head.x, 0.2) << gain;
    EXPECT_GT(response.sharpness(), 12) << gain;
  }
}

TEST(HeadTemplate, SaysHowMuchLargerTheHeadIsThanTheBox) {
  const HeadTemplate known = learnt();
  const auto growth_of_head = [&](double scale) {
    const WeightMap map = map_of(face_at(head.x, head.y, scale));
    const auto peak = [&](double factor) { return known.match({map, head.scaled(factor)}).peak(); };
    return HeadTemplate::growth(peak(1 / HeadTemplate::max_growth) / peak(1),
                                peak(HeadTemplate::max_growth) / peak(1));
  };
  // Where an outer one of the three peaks is the highest it stands for all beyond: half a step is lost.
  for (const double scale : {0.96, 0.98, 1.0, 1.02, 1.04})
    EXPECT_NEAR(growth_of_head(scale), scale, 0.5 * (HeadTemplate::max_growth - 1)) << scale;
  EXPECT_DOUBLE_EQ(growth_of_head(0.8), 1 / HeadTemplate::max_growth);
  EXPECT_DOUBLE_EQ(growth_of_head(1.25), HeadTemplate::max_growth);
  EXPECT_DOUBLE_EQ(HeadTemplate::growth(0, 0), 1);  // nothing is measured yet
}

TEST(HeadTemplate, TellsTheHeadFromOtherPictures) {
  const HeadTemplate known = learnt();
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_LT(known.match({map_of(texture(i)), head}).sharpness(), 10) << i;
}

TEST(HeadTemplate, LearnsByShares) {
  HeadTemplate known = learnt();
  const HeadTemplate::Picture before(map_of(face_at(head.x, head.y)), head), after(map_of(texture(1)), head);
  const auto at_head = [&](const HeadTemplate::Picture& picture) {
    return known.match(picture).at(head.x, head.y);
  };
  const double first = at_head(before), other = at_head(after);
  known.learn(after, 0);
  EXPECT_EQ(at_head(before), first);
  known.learn(after, 0.5);
  EXPECT_LT(at_head(before), first);
  EXPECT_GT(at_head(after), other);
  known.learn(after, 1);
  EXPECT_GT(at_head(after), 0.8);
  EXPECT_LT(known.match(before).sharpness(), 10);
}

TEST(HeadTemplate, IsFiniteForPicturesWithoutContrastAndAtTheEdge) {
  const auto even = [](double, double) { return 0.5; };
  HeadTemplate nothing;
  nothing.learn({map_of(even), head}, 1);
  for (const CentredBox& box : {head, CentredBox{0, 0, 48, 64}, CentredBox{-500, 900, 48, 64},
                                CentredBox{160, 120, 1e-3, 1e-3}, CentredBox{160, 120, 1e6, 1e6}}) {
    for (const HeadTemplate& known : {nothing, learnt()}) {
      const HeadTemplate::Response response = known.match({map_of(face_at(head.x, head.y)), box});
      EXPECT_TRUE(std::isfinite(response.sharpness()) && std::isfinite(response.peak_x()) &&
                  std::isfinite(response.peak_y()))
          << box.x << ' ' << box.width;
      EXPECT_TRUE(std::isfinite(response.at(box.x, box.y)));
    }
  }
}

// A raster of means: of a linear slope it has the slope's value at each middle; the mean over all is the
// map's.
TEST(WeightMap, ResamplesByMeans) {
  const WeightMap map = map_of([](double x, double y) { return x / 1000 + y / 2000; });
  for (const CentredBox& box : {CentredBox{160, 120, 100, 60}, CentredBox{100.3, 90.7, 37.1, 11.9}}) {
    for (const int side : {1, 7, 66, WeightMap::max_side}) {
      std::vector<float> raster(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
      map.resample(box, side, raster.data());
      for (int i = 0; i < side * side; ++i) {
        const int column = i % side, row = i / side;
        const double x = box.x + ((column + 0.5) / side - 0.5) * box.width;
        const double y = box.y + ((row + 0.5) / side - 0.5) * box.height;
        // half a sample of rounding to 16 bits, and a step of the samples within which the map is constant
        EXPECT_NEAR(raster[static_cast<std::size_t>(i)], x / 1000 + y / 2000,
                    1.0 / 65535 + map.step() * 0.5 * 1.5e-3)
            << side << ' ' << i;
      }
    }
  }
}

TEST(WeightMap, ResamplesItsEdgeBeyondIt) {
  const WeightMap map = map_of([](double x, double) { return x < 160 ? 0.25 : 0.75; });
  std::vector<float> raster(16);
  map.resample({0, 120, 80, 40}, 4, raster.data());
  for (const float value : raster) EXPECT_NEAR(value, 0.25, 1e-4);
  map.resample({900, 900, 10, 10}, 4, raster.data());
  for (const float value : raster) EXPECT_NEAR(value, 0.75, 1e-4);
  map.resample({160, 120, 1e9, 1e9}, 4, raster.data());  // every pixel is larger than the map: its mean
  for (const float value : raster) EXPECT_NEAR(value, 0.5, 1e-4);
}

}  // namespace
}  // namespace triptych::skin_tracker
