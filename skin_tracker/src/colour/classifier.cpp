#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "colour/classifier_math.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr std::array<std::string_view, 7> names{
    "linear", "gaussian_rgb", "gaussian_crcb", "gaussian_rg", "gaussian_hsv", "ellipse", "histogram"};

std::string_view name_of_kind(const LinearFilter&) { return names[0]; }
std::string_view name_of_kind(const GaussianPair& pair) {
  switch (pair.space) {
    case ColourSpace::rgb:
      return names[1];
    case ColourSpace::crcb:
      return names[2];
    case ColourSpace::rg:
      return names[3];
    case ColourSpace::hsv:
      return names[4];
  }
  throw InvalidArgument("there is no colour space number " + std::to_string(static_cast<int>(pair.space)));
}
std::string_view name_of_kind(const ChrominanceEllipse&) { return names[5]; }
std::string_view name_of_kind(const HistogramRatio&) { return names[6]; }

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

float weight(const Classifier& classifier, Rgb8 colour) {
  return std::visit(
      [&](const auto& kind) {
        require_usable(kind);
        return static_cast<float>(weight_of(numbers_of(kind), colour.r, colour.g, colour.b));
      },
      classifier);
}

std::span<const std::string_view> classifier_names() { return names; }

std::string_view name_of(const Classifier& classifier) {
  return std::visit([](const auto& kind) { return name_of_kind(kind); }, classifier);
}

double Evaluation::accuracy() const {
  return ratio(true_skin + true_other, true_skin + true_other + false_skin + false_other);
}
double Evaluation::precision() const { return ratio(true_skin, true_skin + false_skin); }
double Evaluation::recall() const { return ratio(true_skin, true_skin + false_other); }
double Evaluation::f1() const { return ratio(2 * true_skin, 2 * true_skin + false_skin + false_other); }

Evaluation evaluate(const Classifier& classifier, std::span<const LabelledPixel> pixels) {
  Evaluation result;
  const auto count = [&](const auto& kind) {
    require_usable(kind);
    const auto numbers = numbers_of(kind);
    for (const LabelledPixel& pixel : pixels) {
      const Rgb8 c = pixel.colour;
      const bool called_skin = static_cast<float>(weight_of(numbers, c.r, c.g, c.b)) >= 0.5f;
      if (called_skin) {
        ++(pixel.skin ? result.true_skin : result.false_skin);
      } else {
        ++(pixel.skin ? result.false_other : result.true_other);
      }
    }
  };
  std::visit(count, classifier);
  return result;
}

PixelSplit split_in_halves(std::span<const LabelledPixel> pixels, std::uint64_t seed) {
  std::vector<LabelledPixel> shuffled(pixels.begin(), pixels.end());
  PhiloxStream random(seed, 0);
  for (std::size_t i = shuffled.size(); i > 1; --i) {  // Fisher and Yates
    const std::uint32_t high = random.next();
    const double place = uniform_double(high, random.next()) * static_cast<double>(i);
    std::swap(shuffled[i - 1], shuffled[std::min(i - 1, static_cast<std::size_t>(place))]);
  }
  const auto middle = shuffled.begin() + static_cast<std::ptrdiff_t>(shuffled.size() / 2);
  return {{shuffled.begin(), middle}, {middle, shuffled.end()}};
}

}  // namespace triptych::skin_tracker
