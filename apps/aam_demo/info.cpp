// aam_demo info.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/model_file.hpp>

#include <cstdio>

#include "commands.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

void print_info(const Options& options) {
  const Model model = load_model(options.model);
  std::printf("%s: %d landmarks, %zu triangles, learnt from %d images\n",
              model.name.empty() ? options.model.c_str() : model.name.c_str(), model.points,
              model.triangles.size(), model.images);
  std::printf("level  features      face px   pixels  samples  modes  shape  texture  iterations\n");
  for (std::size_t i = 0; i < model.levels.size(); ++i) {
    const Level& level = model.levels[i];
    std::printf("%5zu  %-12s  %7.1f  %7lld  %7lld  %5d  %5d  %7d  %10d\n", i,
                to_string(level.features.kind).c_str(), level.face_size_px,
                static_cast<long long>(level.pixels()), static_cast<long long>(level.samples()), level.modes,
                level.shape_modes, level.texture_modes, level.iterations);
  }
  std::printf(
      "modes: parameters that a fit changes; shape, texture: modes of the shape and of the texture alone.\n");
  if (const Refinement& patches = model.refinement; patches.known())
    std::printf(
        "Refined after the last level: patches of %d x %d samples, %lld textures that do not count.\n",
        patches.patch_samples, patches.patch_samples, static_cast<long long>(patches.rows()));
  if (has_appearance(model))
    std::printf("For pictures: %d combined modes of shape and grey texture, %lld pixels (aam_demo modes).\n",
                model.appearance.modes, static_cast<long long>(model.appearance.pixels()));
  std::printf("%.1f MB; every checksum is right.\n",
              static_cast<double>(std::filesystem::file_size(options.model)) / 1e6);
}

}  // namespace triptych::aam_demo
