#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "crop/prepare_cpu.hpp"
#include "fit/texture_basis.hpp"
#include "train/learn_refinement.hpp"
#include "train/level_model.hpp"
#include "train/pca.hpp"
#include "train/texture.hpp"

namespace triptych::aam_fit {
namespace {

// Chosen by cross-validation on faces in the wild.
constexpr PatchOptions patches{.samples = 6, .size = 0.15};
constexpr int max_rows = 30;  // of the basis, but for the two that follow them

// The pixels of a raster of patches, one patch after the other.
std::vector<std::int64_t> patch_order(const ReferenceFrame& frame) {
  const int step = patches.samples + 1, columns = (frame.width + 1) / step;
  const auto patch_of = [&](std::int64_t pixel) {
    const int place = frame.raster_indices[pixel];
    return place / frame.width / step * columns + place % frame.width / step;
  };
  std::vector<std::int64_t> order(static_cast<std::size_t>(frame.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return patch_of(a) < patch_of(b); });
  return order;
}

// The samples as Refinement has them: of a landmark its channels one after the other.
Rows ordered(const Rows& textures, std::span<const std::int64_t> order) {
  const auto area = static_cast<Eigen::Index>(patches.samples) * patches.samples;
  const auto pixels = static_cast<Eigen::Index>(order.size());
  const Eigen::Index count = textures.cols() / pixels;
  Rows out(textures.rows(), textures.cols());
  for (Eigen::Index i = 0; i < pixels; ++i)
    for (Eigen::Index c = 0; c < count; ++c)
      out.col((i / area * count + c) * area + i % area) =
          textures.col(c * pixels + order[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

Refinement learn_refinement(const Level& last, std::span<const Point> mean,
                            std::span<const TrainingFace> faces, const Execution& run) {
  if (last.modes > max_refined_modes) return {};
  Level level = last;  // its planes, sampled in patches
  level.frame = make_patch_frame(mean, patches);
  const std::vector<std::int64_t> order = patch_order(level.frame);
  Rows textures = ordered(textures_at_truth(level, faces, later_crop_margin, run), order);
  const Eigen::VectorXf g0 = mean_texture(textures, last.normalisation, run);
  textures.rowwise() -= g0.transpose();
  const Rows basis = texture_basis(pca(std::move(textures), {1, max_rows}, run).modes, g0.transpose());

  Refinement refinement;
  refinement.patch_samples = patches.samples;
  refinement.pitch_px = last.face_size_px * patches.size / patches.samples;
  std::vector<WarpPixel> pixels;
  pixels.reserve(order.size());
  for (const std::int64_t i : order) pixels.push_back(level.frame.pixels[i]);
  refinement.pixels = std::move(pixels);
  refinement.g0 = std::vector<float>(g0.begin(), g0.end());
  refinement.basis = std::vector<float>(basis.data(), basis.data() + basis.size());
  return refinement;
}

}  // namespace triptych::aam_fit
