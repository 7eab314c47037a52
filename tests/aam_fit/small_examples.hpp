// Three images of 24 x 24 pixels with four landmarks each: enough to train on, in milliseconds.
#pragma once

#include <triptych/aam_fit/train.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace triptych::test {

inline std::vector<aam_fit::Example> small_examples() {
  std::vector<aam_fit::Example> examples;
  for (int i = 0; i < 3; ++i) {
    aam_fit::Example& example = examples.emplace_back();
    example.name = "face " + std::to_string(i);
    example.image = Image<Grey8>(24, 24);
    const auto seed = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < example.image.pixels.size(); ++k)
      example.image.pixels[k] = {static_cast<std::uint8_t>((k * k + seed * 31 * k) % 251)};
    example.landmarks = {{4, 4}, {20.0 - i, 5}, {12, 20}, {11.0 + i, 10}};
  }
  return examples;
}

// One level, one stage, neither appearance nor face classifier, on the calling thread.
inline aam_fit::TrainOptions small_training() {
  aam_fit::TrainOptions options;
  options.levels = {{.pixels = 64, .features = {}, .iterations = 1}};
  options.appearance_pixels = 0;
  options.face_classifier = false;
  options.deformations = 1;
  options.threads = 1;
  return options;
}

}  // namespace triptych::test
