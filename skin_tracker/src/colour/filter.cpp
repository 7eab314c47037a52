#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/filter.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

namespace triptych::skin_tracker {

namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool parse_number(std::string_view text, double& number) {
  text = trim(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return !text.empty() && result.ec == std::errc{} && result.ptr == end && std::isfinite(number);
}

// The plane over the three bytes of a pixel: coefficients and constant.
struct Plane {
  std::array<double, 3> c;
  double d;
};

Plane over_bytes(const LinearFilter& f, Channels channels) {
  if (channels == Channels::rgb) return {{f.r, f.g, f.b}, f.d};
  if (channels != Channels::yuv && channels != Channels::yuv_video)
    throw InvalidArgument("there are no channels number " + std::to_string(static_cast<int>(channels)));
  const bool video = channels == Channels::yuv_video;
  const double luma = video ? 255.0 / 219 : 1.0;
  const double chroma = video ? 255.0 / 224 : 1.0;
  const double black = video ? 16 : 0;
  const double y = luma * (f.r + f.g + f.b);
  const double u = chroma * 1.772 * (f.b - f.g * 0.114 / 0.587);
  const double v = chroma * 1.402 * (f.r - f.g * 0.299 / 0.587);
  return {{y, u, v}, f.d - y * black - (u + v) * 128};
}

// The largest sum of the positive or of the negative terms, in units of weight 1.
double steepness(const Plane& plane) {
  double positive = std::max(0.0, plane.d);
  double negative = std::max(0.0, -plane.d);
  for (const double c : plane.c) {
    double& side = c > 0 ? positive : negative;
    side = std::fma(255, std::abs(c), side);
  }
  return std::max(positive, negative);
}

}  // namespace

LinearFilter parse_filter(std::string_view text) {
  std::array<double, 4> numbers{};
  std::string_view rest = text;
  bool good = true;
  for (std::size_t i = 0; i < numbers.size() && good; ++i) {
    const std::size_t comma = rest.find(',');
    good = parse_number(rest.substr(0, comma), numbers[i]) && (comma == std::string_view::npos) == (i == 3);
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
  }
  require(good, "\"", text.substr(0, 80),
          "\" is no filter; expected four finite numbers R,G,B,D, such as 0.02,-0.01,-0.01,0.1");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

std::string to_string(const LinearFilter& filter) {
  std::string text;
  for (const double number : {filter.r, filter.g, filter.b, filter.d}) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    if (!text.empty()) text += ',';
    text.append(digits.data(), end);
  }
  return text;
}

FixedFilter fix(const LinearFilter& filter, Channels channels) {
  // The message is composed only when it is needed: this function runs for every frame.
  const bool finite = std::isfinite(filter.r) && std::isfinite(filter.g) && std::isfinite(filter.b) &&
                      std::isfinite(filter.d);
  if (!finite) require(false, "the filter ", to_string(filter), " has a coefficient that is not finite");
  const Plane plane = over_bytes(filter, channels);
  // Below 2^31 with a margin for the rounding of the coefficients and of the sum. A coefficient fits three
  // signed bytes, since the dot products of bytes compute it in three parts.
  constexpr double most = 127.0 * 0x010101 * 255;
  const double steep = steepness(plane);
  const bool fits = std::fma(steep, fixed_one, 1025) <= most;
  if (!fits)
    require(false, "the filter ", to_string(filter), " is too steep: its terms add up to ", steep,
            ", and at most ", std::floor(most / fixed_one), " can be calculated exactly");
  // fma() wherever a compiler could fuse: the result is the same on every machine.
  FixedFilter fixed;
  fixed.shift = 14;
  const auto one = [&] { return std::ldexp(double{fixed_one}, fixed.shift); };
  while (fixed.shift > 0 && std::fma(steep, one(), 1024 + std::ldexp(1.0, fixed.shift)) > most) --fixed.shift;

  // The error of a rounded coefficient grows with the byte. The offset subtracts half of the largest error,
  // so that the error is symmetric about 0.
  double middle = 0;
  const auto round = [&](double c) {
    const double whole = std::nearbyint(c * one());
    middle = std::fma(std::fma(c, one(), -whole), -255.0 / 2, middle);
    return static_cast<std::int32_t>(whole);
  };
  fixed.c0 = round(plane.c[0]);
  fixed.c1 = round(plane.c[1]);
  fixed.c2 = round(plane.c[2]);
  fixed.offset = static_cast<std::int32_t>(std::nearbyint(std::fma(plane.d, one(), -middle)));
  if (fixed.shift > 0) fixed.offset += 1 << (fixed.shift - 1);
  return fixed;
}

// Each of the three coefficients has an error of at most 1/2 times a byte's distance from the middle, the
// offset has 1/2, and the shift rounds to an integer weight.
double largest_error(const FixedFilter& filter) {
  constexpr double slack = 1e-12;  // of the double arithmetic
  const double sum = 3 * 0.5 * (255.0 / 2) + 0.5;
  const double shifted = filter.shift == 0 ? 0 : 0.5;
  return (std::ldexp(sum, -filter.shift) + shifted) / fixed_one + slack;
}

}  // namespace triptych::skin_tracker
