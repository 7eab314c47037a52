#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "train/level_model.hpp"
#include "train/mirror.hpp"

namespace triptych::aam_fit {
namespace {

constexpr double step_px = 0.5;
constexpr int steps = static_cast<int>(max_landmark_offset_px / step_px), shifts = 2 * steps + 1;
constexpr int groups = 8;  // of examples; the estimates without each of them tell how uncertain it is

using Sums = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Sums of textures, a row for each shift of the landmarks from -steps to steps.
struct ShiftedTextures {
  Sums faces, mirrored;
};

void add_textures(FaceSampler& sampler, const Level& level, const Image<Grey8>& image, const Shape& landmarks,
                  Sums& sums) {
  const Crop crop = crop_for(level, landmarks, later_crop_margin);
  sampler.prepare(image.view(), crop);
  std::vector<float> texture(static_cast<std::size_t>(sums.cols()));
  for (int i = 0; i < shifts; ++i) {
    Shape shape = landmarks;
    for (Point& p : shape) p.x += (i - steps) * step_px;
    sampler.sample(to_crop(crop, shape), texture);
    for (Eigen::Index k = 0; k < sums.cols(); ++k) sums(i, k) += double{texture[static_cast<std::size_t>(k)]};
  }
}

// The offset with which the landmarks, moved back by it, have the same mean texture in both; none at the ends
// of the range.
std::optional<double> best_offset_px(const ShiftedTextures& sums) {
  std::array<double, shifts> differences{};
  for (int i = 0; i < shifts; ++i)
    differences[static_cast<std::size_t>(i)] =
        (sums.faces.row(shifts - 1 - i) - sums.mirrored.row(i)).squaredNorm();
  const auto least = std::min_element(differences.begin(), differences.end());
  if (least == differences.begin() || least + 1 == differences.end()) return {};
  const double curvature = least[-1] - 2 * least[0] + least[1];
  if (!(curvature > 0)) return {};
  const auto at = static_cast<double>(least - differences.begin()) - steps;
  return step_px * (at + (least[-1] - least[1]) / (2 * curvature));
}

}  // namespace

Image<Grey8> mirror_image(const Image<Grey8>& image) {
  Image<Grey8> mirrored = image;
  for (std::int64_t y = 0; y < image.height; ++y) {
    const auto row = mirrored.view().row(y);
    std::reverse(row.begin(), row.end());
  }
  return mirrored;
}

Shape mirror_shape(std::span<const Point> shape, const Mirror& mirror, double width) {
  Shape mirrored(shape.size());
  for (std::size_t k = 0; k < mirrored.size(); ++k) {
    const Point p = shape[static_cast<std::size_t>(mirror.points[k])];
    mirrored[k] = {width - 1 - p.x + 2 * mirror.landmark_offset_px, p.y};
  }
  return mirrored;
}

double offset_from_textures_px(const Level& level, const std::vector<Example>& examples,
                               std::span<const int> mirror_points, const Execution& run) {
  if (examples.size() < groups) return 0;
  const Mirror mirror{{mirror_points.begin(), mirror_points.end()}};
  const Eigen::Index samples = channels(level.features) * level.pixels();
  const Sums none = Sums::Zero(shifts, samples);
  std::vector<ShiftedTextures> parts(groups, {none, none});
  run.each(groups, [&](std::int64_t group) {
    FaceSampler sampler(level);
    ShiftedTextures& sums = parts[static_cast<std::size_t>(group)];
    for (auto i = static_cast<std::size_t>(group); i < examples.size(); i += groups) {
      run.check();
      const Example& face = examples[i];
      add_textures(sampler, level, face.image, face.landmarks, sums.faces);
      add_textures(sampler, level, mirror_image(face.image),
                   mirror_shape(face.landmarks, mirror, static_cast<double>(face.image.width)),
                   sums.mirrored);
    }
  });

  ShiftedTextures all{none, none};
  for (const ShiftedTextures& part : parts) {
    all.faces += part.faces;
    all.mirrored += part.mirrored;
  }
  const std::optional<double> offset = best_offset_px(all);
  if (!offset) return 0;
  double squares = 0;  // the jackknife's
  for (const ShiftedTextures& part : parts) {
    const std::optional<double> without =
        best_offset_px({all.faces - part.faces, all.mirrored - part.mirrored});
    if (!without) return 0;
    squares += (*without - *offset) * (*without - *offset);
  }
  const double standard_error = std::sqrt(squares * (groups - 1) / groups);
  return std::abs(*offset) > 3 * standard_error ? *offset : 0;
}

}  // namespace triptych::aam_fit
