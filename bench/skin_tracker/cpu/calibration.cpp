// skin_tracker_bench, calibration: from a marked frame to the filter.
#include <triptych/core/image_view.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/calibrate.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "skin_tracker/setup/frames.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

// A face of one colour on a ground of many, all with noise.
std::vector<Rgb8> portrait(const Box& face) {
  PhiloxStream random(9, 0);
  const auto noisy = [&](int value) {
    return static_cast<std::uint8_t>(std::clamp(value + static_cast<int>(random.next() % 13) - 6, 0, 255));
  };
  std::vector<Rgb8> pixels;
  pixels.reserve(std::size_t{skin_width} * skin_height);
  for (int y = 0; y < skin_height; ++y) {
    for (int x = 0; x < skin_width; ++x) {
      const double u = 2 * (x - face.x) / face.width - 1, v = 2 * (y - face.y) / face.height - 1;
      const bool skin = u * u + v * v <= 1;
      pixels.push_back(
          {noisy(skin ? 205 : x / 10), noisy(skin ? 150 : y / 8), noisy(skin ? 125 : (x + y) / 16)});
    }
  }
  return pixels;
}

}  // namespace

void define_calibration(bool quick) {
  add(skin_name("calibrate", "total", "rgb"), [quick] {
    constexpr Box face{700, 200, 420, 560};
    const std::vector<Rgb8> pixels = portrait(face);
    const skin_tracker::MarkedFrame marked{ImageView<const Rgb8>(pixels.data(), skin_width, skin_height),
                                           face};
    const auto calibrate = [&] { return skin_tracker::calibrate(std::span(&marked, 1)); };
    if (calibrate().face_weight < 0.9) throw std::runtime_error("the face is not separated from the ground");
    const Timing timing = time_trials(quick ? 5 : 20, [&](int) { benchmark::DoNotOptimize(calibrate()); });
    return Measurement{timing, static_cast<double>(3 * pixels.size()), 0};
  });
}

}  // namespace triptych::bench
