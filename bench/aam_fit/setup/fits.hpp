// What the halves of aam_fit_bench share: the sizes, the scenes, the names and what the twin finds.
#pragma once

#include <triptych/aam_fit/fit.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "aam_fit/setup/trained.hpp"
#include "support/timing.hpp"
#include "testing/aam_scene.hpp"

namespace triptych::bench {

inline constexpr int aam_iterations = 10;  // per frame, as in the paper
inline constexpr int aam_modes = 60;       // of the paper's table here; it does not say its own

struct AamSize {
  std::int64_t faces = 1;
  int modes = aam_modes;
  std::int64_t pixels = 4096;
  bool trained = false;  // the model; else it is made up
  bool operator<(const AamSize& o) const {
    return std::tie(faces, modes, pixels, trained) < std::tie(o.faces, o.modes, o.pixels, o.trained);
  }
  // What an iteration reads of the stacked matrix: rows of R, of Qg, and g0.
  double matrix_bytes(int bytes_per_number) const {
    return static_cast<double>(2 * modes + 5) * static_cast<double>(pixels) * bytes_per_number;
  }
  // Of all faces in an iteration: a multiply-add, two operations, for every number of the matrix.
  double matrix_operations() const { return static_cast<double>(faces) * 2 * matrix_bytes(1); }
};

inline constexpr std::array<std::int64_t, 3> aam_usual_pixels = {4096, 16384, 65536};
inline constexpr AamSize aam_batch{256, aam_modes, 16384};

// The paper's sizes, i * 4096 for i = 1 .. 16.
inline std::vector<std::int64_t> aam_table_pixels(bool quick) {
  if (quick) return {aam_usual_pixels.begin(), aam_usual_pixels.end()};
  std::vector<std::int64_t> sizes(16);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = 4096 * (static_cast<std::int64_t>(i) + 1);
  return sizes;
}

// The sizes at which models are trained.
inline std::vector<std::int64_t> aam_trained_pixels(bool quick) {
  return quick ? std::vector<std::int64_t>{4096} : aam_table_pixels(false);
}

// The sizes of its figure 6.
inline std::vector<std::int64_t> aam_figure_pixels(bool quick) {
  if (quick) return {4096, 65536};
  return {4096, 8192, 16384, 32768, 65536};
}

inline std::string aam_name(const std::string& series, const std::string& mode, const AamSize& size,
                            const std::string& storage = "float") {
  return "aam/" + storage + "/" + series + "/" + mode + "/" + std::to_string(size.faces) + "x" +
         std::to_string(size.modes) + "x" + std::to_string(size.pixels);
}

// The paper's ten iterations.
inline aam_fit::FitOptions aam_options(aam_fit::Form form,
                                       aam_fit::Storage storage = aam_fit::Storage::float32) {
  return test::whole_steps(aam_iterations, storage, form);
}

// Made or trained at the first call for a size, and kept; faces do not matter.
inline const test::AamScene& aam_scene(const AamSize& size) {
  static std::map<AamSize, std::unique_ptr<test::AamScene>> scenes;
  auto& scene = scenes[{1, size.modes, size.pixels, size.trained}];
  if (!scene)
    scene = std::make_unique<test::AamScene>(
        size.trained ? train_scene(size.pixels, size.modes)
                     : test::make_aam_scene({.pixels = size.pixels, .modes = size.modes}));
  return *scene;
}

// The k-th frame of the rotation: the scene in another light, which the normalisation removes.
inline void aam_relight(std::span<const float> planes, int k, std::span<float> frame) {
  const float gain = 1 + 0.01f * static_cast<float>(k % 16), offset = static_cast<float>(k % 32);
  for (std::size_t i = 0; i < planes.size(); ++i) frame[i] = gain * planes[i] + offset;
}

// Where the k-th face's fit begins.
inline std::vector<float> aam_start_of(const test::AamScene& scene, int k) {
  return test::aam_start(scene, 1.0, 1, static_cast<std::uint64_t>(k));
}

// The landmarks that the paper form of the twin reaches from there, in the scene's own light.
inline const aam_fit::Shape& aam_expected(const AamSize& size, int k) {
  const AamSize one{1, size.modes, size.pixels, size.trained};
  static std::map<std::pair<AamSize, int>, aam_fit::Shape> known;
  aam_fit::Shape& shape = known[{one, k}];
  if (shape.empty()) {
    static AamSize size_of_twin;
    static std::unique_ptr<aam_fit::LevelFitter> made;  // one at a time: each holds a matrix
    const test::AamScene& scene = aam_scene(size);
    if (!made || one < size_of_twin || size_of_twin < one) {
      made = std::make_unique<aam_fit::LevelFitter>(scene.level);
      size_of_twin = one;
    }
    aam_fit::LevelFitter& twin = *made;
    shape = twin.shape_of(
        fit_cpu(twin, scene.planes.view(), aam_start_of(scene, k), aam_options(aam_fit::Form::paper))
            .parameters);
  }
  return shape;
}

// The largest distance of two landmarks.
inline double aam_distance_px(const aam_fit::Shape& a, const aam_fit::Shape& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    most = std::max(most, std::hypot(a.at(i).x - b[i].x, a[i].y - b[i].y));
  return most;
}

// Both twins contract towards the same place, so that only the rounding of the last steps is left between
// them: sums of n terms to some 1e-6 of a step of pixels, far below this. Halves contract to a place of their
// own, whose distance is reported.
inline constexpr double aam_float_px = 0.01, aam_half_px = 0.1;

inline void aam_check(const aam_fit::Shape& found, const aam_fit::Shape& expected, double max_px) {
  const double off = aam_distance_px(found, expected);
  if (!(off <= max_px))
    throw std::runtime_error("a landmark is " + std::to_string(off) + " px off the twin's");
}

// Microseconds a fit by form and size, for the table at the end.
inline std::map<std::pair<AamSize, std::string>, double>& aam_times() {
  static std::map<std::pair<AamSize, std::string>, double> times;
  return times;
}

// The GPU's measurements; nothing in a build without CUDA.
void define_gpu_fits(bool quick);

}  // namespace triptych::bench
