// Models that are really trained at the paper's sizes: 82 faces with 68 landmarks and one level, as the
// paper's, but of synthetic faces, and with the update by regression, which is learnt in seconds. Training is
// not timed.
#pragma once

#include <triptych/aam_fit/prepare.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/parallel.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "testing/aam_scene.hpp"

namespace triptych::bench {

inline constexpr int trained_faces = 82;

// A synthetic face some 250 pixels large.
inline aam_fit::Example large_face(std::uint64_t seed, std::int64_t number) {
  constexpr double scale = 2;
  aam_fit::FaceParameters face = aam_fit::random_face(seed, number);
  for (double* px : {&face.x_px, &face.y_px, &face.size_px}) *px *= scale;
  return aam_fit::render_face(face, static_cast<int>(256 * scale), static_cast<int>(256 * scale));
}

inline const std::vector<aam_fit::Example>& training_faces() {
  static const std::vector<aam_fit::Example> faces = [] {
    std::vector<aam_fit::Example> made(trained_faces);
    parallel_for(0, trained_faces, 0,
                 [&](std::int64_t i) { made[static_cast<std::size_t>(i)] = large_face(1, i); });
    return made;
  }();
  return faces;
}

// A trained level of that size, and a face that it has not seen: planes as a Fitter prepares them, truth its
// parameters there. Throws unless ten steps bring a start's landmarks closer to the truth, by at least a
// quarter.
inline test::AamScene train_scene(std::int64_t pixels, int modes) {
  aam_fit::TrainOptions options;
  aam_fit::LevelOptions level;
  level.pixels = pixels;
  options.levels = {level};
  options.parameters = aam_fit::Parameters::combined;
  options.update = aam_fit::Update::regression;
  options.shape_modes = 20;
  options.texture_modes = options.modes = modes;
  options.deformations = 0;
  options.displacements.per_face = 4;
  options.compositional = options.mirror = false;
  options.appearance_pixels = 0;
  options.face_classifier = false;
  test::AamScene scene;
  scene.level = aam_fit::train(training_faces(), options).levels.at(0);
  if (scene.level.modes != modes || scene.level.samples() != pixels)
    throw std::runtime_error("a model of another size than asked for");

  const aam_fit::Example face = large_face(2, 0);
  const aam_fit::Crop crop = crop_for(scene.level, face.landmarks);
  prepare_cpu(face.image.view(), crop, scene.level.features, scene.planes);
  aam_fit::Shape shape = face.landmarks;
  for (aam_fit::Point& p : shape) p = to_crop(crop, p);
  aam_fit::LevelFitter fitter(scene.level);
  scene.truth = fitter.parameters_of(scene.planes.view(), shape);
  scene.start = test::aam_start(scene, 1.0, 1, 0);
  const auto distance_px = [&](std::span<const float> parameters) {
    const aam_fit::Shape found = fitter.shape_of(parameters);
    double sum = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      sum += std::hypot(found[i].x - shape[i].x, found[i].y - shape[i].y);
    return sum / static_cast<double>(shape.size());
  };
  const auto fit = fit_cpu(fitter, scene.planes.view(), scene.start, test::whole_steps(10));
  if (!(distance_px(fit.parameters) < 0.75 * distance_px(scene.start)))
    throw std::runtime_error("a trained model of " + std::to_string(pixels) + " pixels does not converge");
  return scene;
}

}  // namespace triptych::bench
