#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "fitter/confidence.hpp"
#include "train/calibrate.hpp"
#include "train/update.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::size_t max_calibration_faces = 64;
constexpr int tries = 50;                                 // for a box beside a face
constexpr double max_overlap = 0.1;                       // of the smaller box
constexpr double smallest = 0.1;                          // box, of the image's shorter side
constexpr std::uint64_t stream = std::uint64_t{1} << 62;  // of random numbers; others begin elsewhere

double between(PhiloxStream& random, double low, double high) {
  return low + (high - low) * double{random.next_uniform()};
}

// A square box beside the face, of any size.
std::optional<Box> beside(const Image<Grey8>& image, const Box& face, PhiloxStream& random) {
  const auto width = static_cast<double>(image.width), height = static_cast<double>(image.height);
  for (int i = 0; i < tries; ++i) {
    const double side = std::min(width, height) * std::pow(smallest, between(random, 0.02, 1));
    const double x = between(random, 0, width - side), y = between(random, 0, height - side);
    const double across = std::min(x + side, face.x + face.width) - std::max(x, face.x);
    const double down = std::min(y + side, face.y + face.height) - std::max(y, face.y);
    if (std::max(0.0, across) * std::max(0.0, down) <=
        max_overlap * std::min(side * side, face.width * face.height))
      return Box{x, y, side, side};
  }
  return {};
}

// Noise whose grain has some pixels.
Image<Grey8> noise(int grain, PhiloxStream& random) {
  constexpr int size = 64;
  Image<Grey8> image(size, size);
  for (std::int64_t y = 0; y < size; ++y)
    for (std::int64_t x = 0; x < size; ++x)
      image.view().at(x, y) = x % grain != 0   ? image.view().at(x - 1, y)
                              : y % grain != 0 ? image.view().at(x, y - 1)
                                               : Grey8{static_cast<std::uint8_t>(random.next() >> 24)};
  return image;
}

// Rounded, so that the last bits of sums decide nothing.
double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return std::round(*middle * 1024) / 1024;
}

}  // namespace

Calibration calibrate(const Model& model, std::span<const TrainingFace> faces, const TrainOptions& options,
                      const Execution& run) {
  Fitter fitter(model, {.min_confidence = 0}, Device::cpu(options.threads));
  const Level& level = model.levels.back();
  double g0_squared = 0;
  for (const float g : level.g0) g0_squared += double{g} * double{g};
  std::vector<double> on_faces, on_background;
  const auto add = [&](const Image<Grey8>& image, Shape start, std::vector<double>& correlations) {
    run.check();
    const Fit fit = fitter.step({image.view(), std::move(start)});
    if (fit.found())
      correlations.push_back(
          correlation_of(level, g0_squared, fit.error * static_cast<double>(level.samples())));
  };
  const std::size_t count = std::min(faces.size(), max_calibration_faces);
  for (std::size_t i = 0; i < count; ++i) {
    const TrainingFace& face = faces[i * faces.size() / count];
    PhiloxStream random(options.seed, stream + i);
    const std::vector<Shape> starts = evaluation_starts(model.mean, face.landmarks);
    add(*face.image, starts[i % starts.size()], on_faces);
    const Box box = bounds(face.landmarks);
    if (const std::optional<Box> other = beside(*face.image, box, random)) {
      add(*face.image, place_in_box(model.mean, *other), on_background);
    } else {
      const Image<Grey8> image = noise(1 + static_cast<int>(i % 8), random);
      add(image, place_in_box(model.mean, {8, 8, 48, 48}), on_background);
    }
  }
  return {median(on_faces), median(on_background)};
}

}  // namespace triptych::aam_fit
