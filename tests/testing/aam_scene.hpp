// A made-up level for tests and benches of the fit, and an image to fit it to: 68 landmarks on a grid of
// triangles, a smooth textured image, whose texture at `truth` (and a little noise) is the level's mean. R is
// the pseudo-inverse of the level's own Jacobian there, so that a fit from `start` moves a little, gets
// better and stays in the image. The same numbers for the same arguments.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/planes.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "testing/aam_learn.hpp"
#include "testing/aam_level.hpp"

namespace triptych::test {

struct AamSceneOptions {
  std::int64_t pixels = 4096;  // samples: pixels * channels
  int modes = 20;
  int channels = 1;
  double noise = 0.1;  // in what is fitted to, as a share of the texture's contrast
  double away = 1;     // how far the start is off; 1: about 1.5 % of the face
  std::uint64_t seed = 1;
};

struct AamScene {
  aam_fit::Level level;
  aam_fit::Planes planes;           // to fit to
  std::vector<float> truth, start;  // parameters
};

// Parameters off the scene's truth, another way for each number.
inline std::vector<float> aam_start(const AamScene& scene, double away, std::uint64_t seed,
                                    std::uint64_t number) {
  PhiloxStream random(seed, 1000 + number);
  const auto m = static_cast<std::size_t>(scene.level.modes);
  std::vector<float> start = scene.truth;
  for (std::size_t k = 0; k < m; ++k)
    start[k] += static_cast<float>(0.3 * away) * scene.level.sigma[static_cast<std::int64_t>(k)] *
                random.next_normal_pair().first;
  start[m] += static_cast<float>(0.01 * away * detail::uniform(random, -1, 1));
  start[m + 1] += static_cast<float>(0.01 * away * detail::uniform(random, -1, 1));
  start[m + 2] +=
      static_cast<float>(0.015 * away * scene.level.face_size_px * detail::uniform(random, -1, 1));
  start[m + 3] +=
      static_cast<float>(0.015 * away * scene.level.face_size_px * detail::uniform(random, -1, 1));
  return start;
}

inline AamScene make_aam_scene(const AamSceneOptions& options) {
  using namespace detail;
  require(options.pixels >= 4 && options.modes >= 0 && options.channels >= 1, "no scene of ", options.pixels,
          " pixels, ", options.modes, " modes and ", options.channels, " channels");
  AamScene scene;
  scene.level = aam_level(options.pixels, options.modes, options.channels, options.seed);
  // Twice the face each way, so that the face and what a fit does to it stay inside.
  const int width = std::max(16, 2 * scene.level.frame.width),
            height = std::max(16, 2 * scene.level.frame.height);
  const aam_fit::Planes clean =
      aam_image(width, height, options.channels, std::max(scene.level.face_size_px, 8.0), options.seed);
  const auto m = static_cast<std::size_t>(options.modes);
  std::vector<double> truth(m + 4, 0.0);
  truth[m] = 0.03;
  truth[m + 1] = -0.05;
  truth[m + 2] = 0.5 * (width - 1) + 0.3;
  truth[m + 3] = 0.5 * (height - 1) - 0.2;
  const double contrast = aam_learn(scene.level, clean, truth);

  scene.planes = clean;
  PhiloxStream grain(options.seed, 2);
  for (float& v : scene.planes.values)
    v += static_cast<float>(options.noise * contrast) * grain.next_normal_pair().first;
  scene.truth.assign(truth.begin(), truth.end());
  scene.start = aam_start(scene, options.away, options.seed, 0);
  return scene;
}

// A fixed number of whole steps, whatever the error does: what the paper times.
inline aam_fit::FitOptions whole_steps(int iterations, aam_fit::Storage storage = aam_fit::Storage::float32,
                                       aam_fit::Form form = aam_fit::Form::one_pass) {
  aam_fit::FitOptions options;
  options.always_step = true;
  options.max_iterations = iterations;
  options.storage = storage;
  options.form = form;
  return options;
}

}  // namespace triptych::test
