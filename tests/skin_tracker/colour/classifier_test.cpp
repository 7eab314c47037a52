#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

using Vector = std::array<double, 3>;

Vector in_space(ColourSpace space, Rgb8 c) {
  const double r = c.r, g = c.g, b = c.b;
  switch (space) {
    case ColourSpace::rgb:
      return {r, g, b};
    case ColourSpace::crcb: {
      const double y = 0.299 * r + 0.587 * g + 0.114 * b;
      return {128 + (r - y) / 1.402, 128 + (b - y) / 1.772, 0};
    }
    case ColourSpace::rg:
      return {r / (r + g + b), g / (r + g + b), 0};
    case ColourSpace::hsv: {
      const double most = std::max({r, g, b}), least = std::min({r, g, b});
      if (most == least) return {0, 0, most / 255};
      double degrees = 0;
      if (most == b) {
        degrees = 240 + 60 * (r - g) / (most - least);
      } else if (most == g) {
        degrees = 120 + 60 * (b - r) / (most - least);
      } else {
        degrees = std::fmod(360 + 60 * (g - b) / (most - least), 360.0);
      }
      const double turn = degrees * std::numbers::pi / 180, saturation = 1 - least / most;
      return {saturation * std::cos(turn), saturation * std::sin(turn), most / 255};
    }
  }
  return {};
}

double density(const GaussianPair::Normal& n, const Vector& p) {
  double distance2 = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      distance2 += (p[i] - n.mean[i]) * n.precision[3 * i + j] * (p[j] - n.mean[j]);
    }
  }
  return std::exp(n.log_scale - distance2 / 2);
}

std::vector<Rgb8> some_colours() {
  std::vector<Rgb8> colours{{1, 0, 0},     {0, 1, 0},     {0, 0, 1}, {255, 255, 255}, {255, 0, 0},
                            {255, 0, 255}, {0, 255, 254}, {9, 9, 9}, {200, 140, 120}, {8, 7, 255}};
  const auto bytes = test::random_values<std::uint8_t>(3000, 1, 255, 11);
  for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
    colours.push_back({bytes[i], bytes[i + 1], bytes[i + 2]});
  }
  return colours;
}

TEST(Weight, OfALinearFilterIsTheClampedPlane) {
  const LinearFilter filter{0.01, -0.004, 0.002, -0.3};
  for (const Rgb8 c : some_colours()) {
    const double plane = 0.01 * c.r - 0.004 * c.g + 0.002 * c.b - 0.3;
    EXPECT_FLOAT_EQ(weight(filter, c), static_cast<float>(std::clamp(plane, 0.0, 1.0)));
  }
}

TEST(Weight, OfAGaussianPairIsTheProbabilityOfSkin) {
  struct Case {
    ColourSpace space;
    Vector skin, other;
    double spread;
  };
  for (const Case& k : {Case{ColourSpace::rgb, {190, 140, 120}, {100, 110, 120}, 60},
                        Case{ColourSpace::crcb, {155, 110, 0}, {128, 128, 0}, 20},
                        Case{ColourSpace::rg, {0.45, 0.3, 0}, {0.33, 0.33, 0}, 0.1},
                        Case{ColourSpace::hsv, {0.3, 0.1, 0.7}, {0.0, 0.0, 0.5}, 0.4}}) {
    const double p = 1 / (k.spread * k.spread);
    const bool flat = k.space == ColourSpace::crcb || k.space == ColourSpace::rg;
    const double z = flat ? 0 : p, tilt = flat ? 0 : 0.2 * p;
    const GaussianPair pair{k.space,
                            {k.skin, {p, 0.3 * p, tilt, 0.3 * p, 2 * p, 0, tilt, 0, z}, -1.2},
                            {k.other, {p / 2, -0.1 * p, 0, -0.1 * p, p, 0, 0, 0, z / 2}, -0.4}};
    for (const Rgb8 c : some_colours()) {
      const Vector point = in_space(k.space, c);
      const double skin = density(pair.skin, point), other = density(pair.other, point);
      if (skin + other < 1e-280) continue;  // the naive densities underflow
      // the chrominance matrix is known to six digits: 1e-6 of 255, over a spread of 20, squared distances of
      // some hundreds
      EXPECT_NEAR(weight(pair, c), skin / (skin + other), 1e-4) << static_cast<int>(k.space);
    }
  }
}

TEST(Weight, OfBlackIsThatOfGreyInNormalisedColours) {
  const GaussianPair pair{ColourSpace::rg,
                          {{1.0 / 3, 1.0 / 3, 0}, {100, 0, 0, 0, 100, 0, 0, 0, 0}, 1},
                          {{0, 0, 0}, {100, 0, 0, 0, 100, 0, 0, 0, 0}, 1}};
  EXPECT_FLOAT_EQ(weight(pair, {0, 0, 0}), weight(pair, {90, 90, 90}));
}

TEST(Weight, OfAnEllipseIsOneInTheMiddleAndAHalfOnTheEdge) {
  const Vector middle = in_space(ColourSpace::crcb, {200, 140, 120});
  const Vector edge = in_space(ColourSpace::crcb, {200, 120, 120});
  const double x = edge[0] - middle[0], y = edge[1] - middle[1];
  ChrominanceEllipse ellipse{{middle[0], middle[1]}, {0.02, 0.005, 0.01}, 0, 0};
  ellipse.edge = 0.02 * x * x + 2 * 0.005 * x * y + 0.01 * y * y;
  ellipse.softness = 0.7 * ellipse.edge;
  EXPECT_FLOAT_EQ(weight(ellipse, {200, 140, 120}), 1);
  EXPECT_NEAR(weight(ellipse, {200, 120, 120}), 0.5, 1e-5);
  EXPECT_GT(weight(ellipse, {200, 125, 120}), 0.6);
  EXPECT_FLOAT_EQ(weight(ellipse, {0, 255, 0}), 0);
}

TEST(Weight, OfAHistogramIsItsCell) {
  for (const int bits : {1, 3, 5, 8}) {
    const std::size_t side = std::size_t{1} << bits, drop = static_cast<std::size_t>(256) / side;
    HistogramRatio histogram{bits, std::vector<float>(side * side * side)};
    for (std::size_t i = 0; i < histogram.share.size(); ++i) {
      histogram.share[i] = static_cast<float>(i % 9973) / 9973;
    }
    const Classifier classifier = histogram;
    for (const Rgb8 c : some_colours()) {
      EXPECT_EQ(weight(classifier, c), histogram.share[(c.r / drop * side + c.g / drop) * side + c.b / drop]);
    }
  }
}

TEST(Weight, OfAHistogramOfAWrongSizeIsRefused) {
  EXPECT_ERROR(weight(HistogramRatio{5, {}}, {0, 0, 0}), InvalidArgument, "32768 cells, not 0");
  EXPECT_ERROR(weight(HistogramRatio{9, {}}, {0, 0, 0}), InvalidArgument, "not 9");
  EXPECT_ERROR(evaluate(HistogramRatio{0, {}}, {}), InvalidArgument, "not 0");
}

TEST(Weight, IsFromZeroToOneEvenForNumbersThatOverflow) {
  constexpr double huge = std::numeric_limits<double>::max();
  const GaussianPair::Normal normal{{huge, -huge, 0}, {huge, 0, 0, 0, huge, 0, 0, 0, huge}, huge};
  for (const Classifier& classifier :
       {Classifier{LinearFilter{huge, -huge, huge, 0}},
        Classifier{GaussianPair{ColourSpace::rgb, normal, normal}},
        Classifier{ChrominanceEllipse{{huge, huge}, {huge, huge, huge}, huge, huge}}}) {
    for (const Rgb8 c : some_colours()) {
      const float w = weight(classifier, c);
      EXPECT_TRUE(w >= 0 && w <= 1) << w;
    }
  }
}

TEST(Evaluation, FollowsItsDefinitions) {
  const Evaluation e{30, 10, 50, 20};
  EXPECT_DOUBLE_EQ(e.accuracy(), 80.0 / 110);
  EXPECT_DOUBLE_EQ(e.precision(), 30.0 / 40);
  EXPECT_DOUBLE_EQ(e.recall(), 30.0 / 50);
  EXPECT_DOUBLE_EQ(e.f1(), 2 * 0.75 * 0.6 / (0.75 + 0.6));
  EXPECT_EQ(Evaluation{}.accuracy(), 0);
  EXPECT_EQ(Evaluation{}.f1(), 0);
}

TEST(Evaluation, CountsPixelsByTheirWeights) {
  const Classifier reddish = LinearFilter{0.01, 0, 0, 0};  // 1/2 at red 50
  const std::vector<LabelledPixel> pixels{{{50, 0, 0}, true},  {{49, 0, 0}, true}, {{90, 0, 0}, true},
                                          {{51, 0, 0}, false}, {{9, 0, 0}, false}, {{8, 0, 0}, false}};
  const Evaluation e = evaluate(reddish, pixels);
  EXPECT_EQ(e.true_skin, 2);
  EXPECT_EQ(e.false_other, 1);
  EXPECT_EQ(e.false_skin, 1);
  EXPECT_EQ(e.true_other, 2);
}

std::vector<LabelledPixel> numbered_pixels(int count) {
  std::vector<LabelledPixel> pixels;
  pixels.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    pixels.push_back(
        {{static_cast<std::uint8_t>(i / 256), static_cast<std::uint8_t>(i % 256), 7}, i % 3 == 0});
  }
  return pixels;
}

std::vector<int> numbers(const std::vector<LabelledPixel>& pixels) {
  std::vector<int> result;
  result.reserve(pixels.size());
  for (const LabelledPixel& p : pixels) result.push_back(p.colour.r * 256 + p.colour.g);
  return result;
}

TEST(SplitInHalves, KeepsEveryPixelOnce) {
  for (const int count : {0, 1, 2, 31, 1000}) {
    const PixelSplit split = split_in_halves(numbered_pixels(count), 5);
    EXPECT_EQ(split.train.size(), static_cast<std::size_t>(count / 2));
    std::vector<int> all = numbers(split.train);
    const std::vector<int> rest = numbers(split.test);
    all.insert(all.end(), rest.begin(), rest.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, numbers(numbered_pixels(count)));
  }
}

TEST(SplitInHalves, IsRandomAndRepeatable) {
  const auto pixels = numbered_pixels(10000);
  const auto first = numbers(split_in_halves(pixels, 1).train);
  EXPECT_EQ(first, numbers(split_in_halves(pixels, 1).train));
  EXPECT_NE(first, numbers(split_in_halves(pixels, 2).train));
  // of the first half of the pixels, half should be drawn: 2500 with a standard deviation of 25
  const auto low = std::count_if(first.begin(), first.end(), [](int i) { return i < 5000; });
  EXPECT_NEAR(static_cast<double>(low), 2500, 5 * 25);
}

// Pixels of two round clusters, so many of each.
std::vector<LabelledPixel> two_clusters(int skin, int other, float spread, std::uint64_t seed) {
  PhiloxStream random(seed, 0);
  const auto near = [&](float middle) {
    return static_cast<std::uint8_t>(
        std::clamp(std::round(middle + spread * random.next_normal_pair().first), 0.0f, 255.0f));
  };
  std::vector<LabelledPixel> pixels;
  pixels.reserve(static_cast<std::size_t>(skin) + static_cast<std::size_t>(other));
  for (int i = 0; i < skin; ++i) pixels.push_back({{near(190), near(140), near(115)}, true});
  for (int i = 0; i < other; ++i) pixels.push_back({{near(90), near(120), near(150)}, false});
  return pixels;
}

TEST(TrainClassifier, KnowsItsNames) {
  const auto names = classifier_names();
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), 7u);
  const auto pixels = two_clusters(100, 100, 5, 1);
  for (const std::string_view name : names) EXPECT_EQ(name_of(train_classifier(name, pixels)), name);
  EXPECT_ERROR(train_classifier("tree", pixels), InvalidArgument, "\"tree\" is no classifier");
  EXPECT_ERROR(train_classifier("", pixels), InvalidArgument, "gaussian_hsv, ellipse, histogram");
}

TEST(TrainClassifier, WantsPixelsOfBothClasses) {
  for (const std::string_view name : classifier_names()) {
    EXPECT_ERROR(train_classifier(name, {}), InvalidArgument, "at least 8");
    EXPECT_ERROR(train_classifier(name, two_clusters(100, 0, 5, 1)), InvalidArgument, "0 others");
    EXPECT_ERROR(train_classifier(name, two_clusters(7, 100, 5, 1)), InvalidArgument, "7 pixels of skin");
  }
}

TEST(TrainClassifier, SeparatesWhatIsFarApart) {
  const auto train = two_clusters(500, 900, 8, 1), other_half = two_clusters(500, 900, 8, 2);
  for (const std::string_view name : classifier_names()) {
    const Evaluation e = evaluate(train_classifier(name, train), other_half);
    // the clusters' middles are at least 4 standard deviations from any sensible boundary; an ellipse, which
    // is fitted to the skin alone, and a histogram with its empty cells lose a few pixels at their edges
    EXPECT_GE(e.accuracy(), 0.99) << name;
    EXPECT_GE(e.recall(), 0.98) << name;
  }
}

TEST(TrainClassifier, BearsClassesOfOneColourEach) {
  std::vector<LabelledPixel> pixels(10, {{200, 150, 130}, true});
  pixels.resize(30, {{100, 150, 200}, false});
  for (const std::string_view name : classifier_names()) {
    EXPECT_EQ(evaluate(train_classifier(name, pixels), pixels).accuracy(), 1) << name;
  }
}

TEST(TrainClassifier, BearsClassesThatAreAlike) {
  std::vector<LabelledPixel> pixels(10, {{200, 150, 130}, true});
  pixels.resize(30, {{200, 150, 130}, false});
  EXPECT_ERROR(train_classifier("linear", pixels), InvalidArgument, "all pixels have the same colour");
  EXPECT_ERROR(train_classifier("ellipse", pixels), InvalidArgument, "all pixels have the same colour");
  // what is left are the shares: a third; a histogram draws them a little towards none
  EXPECT_NEAR(weight(train_classifier("gaussian_rgb", pixels), {200, 150, 130}), 1.0 / 3, 1e-6);
  EXPECT_NEAR(weight(train_classifier("histogram", pixels), {200, 150, 130}), 1.0 / 3, 1.0 / 3 / 31);
}

TEST(TrainClassifier, FindsThePlaneBehindNoisyLabels) {
  constexpr std::uint64_t seed = 7;
  TRIPTYCH_TRACE_SEED(seed);
  constexpr int count = 20000;
  PhiloxStream random(seed, 0);
  std::vector<LabelledPixel> pixels;
  pixels.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Rgb8 c{static_cast<std::uint8_t>(random.next()), static_cast<std::uint8_t>(random.next()),
                 static_cast<std::uint8_t>(random.next())};
    const bool above = 2 * c.r - c.g - 0.5 * c.b > 20;
    pixels.push_back({c, above != (random.next_uniform() < 0.1f)});
  }
  const Classifier classifier = train_classifier("linear", pixels);
  // the true plane is right about 0.9 of them, with a standard deviation of sqrt(0.09 / count) = 0.0021, and
  // the best one at least as often
  EXPECT_GE(evaluate(classifier, pixels).accuracy(), 0.9 - 5 * 0.0021);
  const LinearFilter filter = std::get<LinearFilter>(classifier);
  EXPECT_GT(filter.r, 0);
  EXPECT_NEAR(filter.g / filter.r, -0.5, 0.05);
  EXPECT_NEAR(filter.b / filter.r, -0.25, 0.05);
}

TEST(TrainClassifier, CallsSomethingSkinEvenWhenThatIsRare) {
  const std::vector<LabelledPixel> pixels = two_clusters(100, 10000, 60, 3);
  const Evaluation e = evaluate(train_classifier("linear", pixels), pixels);
  EXPECT_GE(e.recall(), 0.49);
  EXPECT_GE(e.accuracy(), 0.5);
}

TEST(TrainClassifier, MeasuresTheNormalDistributions) {
  constexpr int count = 40000;
  const auto pixels = two_clusters(count, count / 2, 10, 5);
  const GaussianPair pair = std::get<GaussianPair>(train_classifier("gaussian_rgb", pixels));
  const double variance = 100 + 2.0 / 12;  // with the rounding, and what training adds for it
  const Vector middle{190, 140, 115};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(pair.skin.mean[i], middle[i], 5 * 10 / std::sqrt(count));
    // the variance is known to sqrt(2 / count) of itself
    EXPECT_NEAR(pair.skin.precision[4 * i] * variance, 1, 5 * std::sqrt(2.0 / count));
  }
  const double log_scale = std::log(2.0 / 3) - 1.5 * std::log(2 * std::numbers::pi * variance);
  EXPECT_NEAR(pair.skin.log_scale, log_scale, 5 * 1.5 * std::sqrt(2.0 / count));
}

TEST(TrainClassifier, FillsEmptyCellsOfAHistogramFromAround) {
  std::vector<LabelledPixel> pixels(100, {{200, 150, 130}, true});
  pixels.resize(200, {{20, 30, 200}, false});
  const Classifier classifier = train_classifier("histogram", pixels);
  EXPECT_GT(weight(classifier, {200, 150, 130}), 0.99f);
  EXPECT_GT(weight(classifier, {207, 159, 140}), 0.9f);  // in the same larger cell, never seen
  EXPECT_LT(weight(classifier, {25, 40, 210}), 0.01f);
  EXPECT_EQ(weight(classifier, {10, 250, 10}), 0.0f);  // far from everything
}

}  // namespace
}  // namespace triptych::skin_tracker
