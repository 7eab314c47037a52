// Everything that uses a model, once each and small: what a bad value reaches shows here.
#pragma once

#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/error.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "model/model_format.hpp"

namespace triptych::fuzz {

// A model from bytes at a multiple of 64, as load_model() has them.
inline aam_fit::Model decoded(const std::string& bytes) {
  const std::shared_ptr<std::byte> owner(
      static_cast<std::byte*>(::operator new (bytes.size() + 1, std::align_val_t{64})),
      [](std::byte* p) { ::operator delete (p, std::align_val_t{64}); });
  std::memcpy(owner.get(), bytes.data(), bytes.size());
  return aam_fit::decode_model({owner.get(), bytes.size()}, owner, "fuzz");
}

inline void require_finite(const aam_fit::Shape& shape) {
  for (const aam_fit::Point p : shape)
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) std::abort();
}

inline void use_model(const aam_fit::Model& model) {
  using namespace aam_fit;
  // What was read can be written, and reads back as the same bytes.
  const std::string bytes = encode_model(model);
  if (encode_model(decoded(bytes)) != bytes) std::abort();
  static const Image<Grey8> frame = [] {
    Image<Grey8> image(48, 40);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      image.pixels[i] = {static_cast<std::uint8_t>((i * i / 7 + 13 * i) % 253)};
    return image;
  }();
  const Device cpu = Device::cpu(1);
  only_errors([&] {
    if (!has_appearance(model)) return;
    std::vector<float> c(static_cast<std::size_t>(model.appearance.modes), 0.5f);
    appearance_picture(model, c);
    appearance_picture(model,
                       appearance_of(model, frame.view(), start_in_box(model, {8, 8, 24, 24}, 48, 40)));
  });
  for (const Algorithm algorithm : {Algorithm::regression, Algorithm::project_out, Algorithm::simultaneous}) {
    only_errors([&] {
      Fitter fitter(model, {.algorithm = algorithm}, cpu);
      const Fit fit = fitter.step({frame.view(), start_in_box(model, {8, 8, 24, 24}, 48, 40)});
      require_finite(fit.landmarks);
      if (!(fit.score >= 0 && fit.score <= 1)) std::abort();
      if (!(fit.confidence >= 0 && fit.confidence <= 1) || reason(fit).empty() != fit.found()) std::abort();
      if (fitter.describe().empty()) std::abort();
      fitter.texture(fit);
    });
  }
  only_errors([&] {
    FaceTracker tracker(model, {.box = Box{8, 8, 24, 24}}, cpu);
    for (int i = 0; i < 2; ++i) require_finite(tracker.step(frame.view()).fit.landmarks);
  });
  only_errors([&] {
    if (model.levels.front().face_size_px > 64) return;  // the search in its planes would take seconds
    Fitter fitter(model, {.min_confidence = 0}, cpu);
    for (const Fit& fit : find_faces(fitter, frame.view(), {.max_candidates = 2, .min_confidence = 0})) {
      require_finite(fit.landmarks);
      if (!(fit.confidence >= 0 && fit.confidence <= 1)) std::abort();
    }
  });
}

}  // namespace triptych::fuzz
