// Checks that the sizes of a model's arrays are consistent, and in proportion to each other.
#include <triptych/aam_fit/model.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "model/check_level.hpp"

namespace triptych::aam_fit {
namespace {

constexpr int max_model_points = 65535;  // WarpPixel::corners
constexpr double max_coordinate = 1e6;

bool all_finite(const SharedArray<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

void check_pixel(const WarpPixel& pixel, int points, const std::string& name) {
  for (const std::uint16_t corner : pixel.corners)
    require(corner < points, name, " names landmark ", corner, " of ", points);
  require(std::isfinite(pixel.a) && std::isfinite(pixel.b), name, " has a weight that is not finite");
}

class LevelCheck {
 public:
  LevelCheck(const Level& level, const std::string& name) : level_(level), name_(name) {}

  void check(std::int64_t samples, bool has_update) const {
    const Level& l = level_;
    const std::int64_t n = samples, m = l.modes, coordinates = 2 * std::int64_t{l.points};
    require(l.points >= 1 && l.points <= max_model_points, name_, " has ", l.points, " landmarks, not 1 to ",
            max_model_points);
    require(l.normalisation == Normalisation::projection || l.normalisation == Normalisation::length ||
                l.normalisation == Normalisation::floored,
            name_, " has the normalisation number ", static_cast<int>(l.normalisation),
            ", which there is not");
    require(l.iterations >= 0 && l.iterations <= 10000, name_, " has ", l.iterations,
            " iterations, not 0 to 10000");
    require(std::isfinite(l.sample_offset), name_, ": sample_offset is not finite");
    array("s0", l.s0, coordinates);
    check_frame();
    require(m >= 0 && m <= coordinates + n, name_, " has ", m, " modes, not 0 to ", coordinates + n,
            " for that many coordinates and samples");
    array("Qs", l.Qs, coordinates * m);
    array("Ks", l.Ks, m * coordinates);
    array("g0", l.g0, n);
    array("Qg", l.Qg, m * n);
    array("R", l.R, has_update ? (m + 4) * n : 0);
    array("sigma", l.sigma, m);
    require(std::any_of(l.g0.begin(), l.g0.end(), [](float v) { return v != 0; }), name_,
            ": g0 is all zeros");
    require(
        l.shape_modes >= 0 && l.shape_modes <= coordinates && l.texture_modes >= 0 && l.texture_modes <= n,
        name_, " has ", l.shape_modes, " shape modes and ", l.texture_modes, " texture modes for ",
        coordinates, " coordinates and ", n, " samples");
    array("Ps", l.Ps, l.shape_modes * coordinates);
    array("Pg", l.Pg, l.texture_modes * n);
    array("ps_sigma", l.ps_sigma, l.shape_modes);
    // Of the inverse compositional fits: the steepest descent images.
    require(l.shape_modes * n <= (1 << 22) + 8 * (l.Qg.size() + l.R.size()), name_, " has ", l.shape_modes,
            " shape modes, too many for ", m, " modes and ", n, " samples");
    check_size();
  }

 private:
  void array(const char* what, const SharedArray<float>& values, std::int64_t size) const {
    require(values.size() == size, name_, ": ", what, " has ", values.size(), " numbers instead of ", size);
    require(all_finite(values), name_, ": ", what, " holds a number that is not finite");
  }

  void check_frame() const {
    const ReferenceFrame& frame = level_.frame;
    require(frame.width > 0 && frame.height > 0 && frame.size() > 0, name_, ": the reference frame of ",
            frame.width, " x ", frame.height, " pixels has ", frame.size(), " of them");
    require(frame.raster_indices.size() == frame.size(), name_, ": the reference frame has ", frame.size(),
            " pixels in ", frame.raster_indices.size(), " places");
    require(std::isfinite(frame.scale) && frame.scale > 0, name_, ": the reference frame's scale is ",
            frame.scale);
    const std::int64_t area = std::int64_t{frame.width} * frame.height;
    require(area <= (1 << 20) + 64 * frame.size(), name_, ": a reference frame of ", frame.width, " x ",
            frame.height, " is too large for ", frame.size(), " pixels");
    std::int64_t before = -1;
    for (const std::int32_t place : frame.raster_indices) {
      require(place > before && place < area, name_, ": the reference frame has a pixel at ", place,
              " after ", before, ", of ", area);
      before = place;
    }
    for (const WarpPixel& pixel : frame.pixels)
      check_pixel(pixel, level_.points, name_ + ": the reference frame");
  }

  // The size of faces is that of s0, and the planes around one are in proportion to what is sampled there.
  void check_size() const {
    Shape mean(static_cast<std::size_t>(level_.points));
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const auto k = static_cast<std::int64_t>(2 * i);
      mean[i] = {double{level_.s0[k]}, double{level_.s0[k + 1]}};
      require(std::abs(mean[i].x) <= max_coordinate && std::abs(mean[i].y) <= max_coordinate, name_,
              ": s0 has a landmark at (", mean[i].x, ", ", mean[i].y, ")");
    }
    const double size = face_size(mean);
    require(size > 0 && std::abs(level_.face_size_px - size) <= 0.001 * size, name_, " has faces of ",
            level_.face_size_px, " pixels, but an s0 of ", size);
    const Box box = bounds(mean);
    const std::int64_t n = level_.g0.size(), channels = n / level_.pixels();
    const double planes = (box.width + size) * (box.height + size) * static_cast<double>(channels + 4);
    require(planes <= (1 << 24) + 48 * static_cast<double>(n), name_, " of ", n,
            " samples is too small for faces of ", box.width, " x ", box.height, " pixels");
  }

  const Level& level_;
  const std::string& name_;
};

void check_refinement(const Model& model) {
  const Refinement& r = model.refinement;
  const Level& last = model.levels.back();
  constexpr int max_side = 64, max_rows = 64;
  constexpr std::int64_t max_samples = 1 << 24;
  require(r.patch_samples >= 2 && r.patch_samples <= max_side, "the refinement has patches of ",
          r.patch_samples, " samples to a side, not 2 to ", max_side);
  require(last.modes <= max_refined_modes, "a last level of ", last.modes,
          " modes cannot be refined: it has at most ", max_refined_modes);
  require(std::isfinite(r.pitch_px) && r.pitch_px > 0 && r.pitch_px <= max_coordinate,
          "the refinement has samples ", r.pitch_px, " pixels apart");
  const std::int64_t pixels = std::int64_t{model.points} * r.patch_samples * r.patch_samples;
  require(r.pixels.size() == pixels, "the refinement has ", r.pixels.size(), " pixels instead of ", pixels);
  for (const WarpPixel& pixel : r.pixels) check_pixel(pixel, model.points, "the refinement");
  const std::int64_t samples = pixels * channels(last.features);
  require(samples <= max_samples, "the refinement has ", samples, " samples, more than ", max_samples);
  require(r.g0.size() == samples, "the refinement's g0 has ", r.g0.size(), " numbers instead of ", samples);
  require(r.basis.size() % samples == 0, "the refinement's basis has ", r.basis.size(),
          " numbers, no multiple of ", samples);
  require(r.rows() <= std::min<std::int64_t>(samples, max_rows), "the refinement's basis has ", r.rows(),
          " rows of ", samples, " numbers, more than ", max_rows, " or than they are long");
  require(all_finite(r.g0) && all_finite(r.basis), "the refinement holds a number that is not finite");
  require(std::any_of(r.g0.begin(), r.g0.end(), [](float v) { return v != 0; }),
          "the refinement's g0 is all zeros");
}

void check_level_of(const Model& model, const Level& level, const std::string& name, bool has_update) {
  check_features(level.features);
  require(level.points == model.points, name, " has ", level.points, " landmarks, the model ", model.points);
  check_level(level, name, level.pixels() * channels(level.features), has_update);
}

}  // namespace

void check_level(const Level& level, const std::string& name, std::int64_t samples, bool has_update) {
  LevelCheck(level, name).check(samples, has_update);
}

void check_appearance(const Model& model) {
  require(model.appearance.features.kind == FeatureKind::grey,
          "the appearance is no grey texture, of which pictures are made");
  check_level_of(model, model.appearance, "the appearance", false);
}

void check_model(const Model& model) {
  require(model.points >= 3 && model.points <= max_model_points, "a model cannot have ", model.points,
          " landmarks");
  require(model.mean.size() == static_cast<std::size_t>(model.points), "the model's mean has ",
          model.mean.size(), " landmarks instead of ", model.points);
  require(std::all_of(
              model.mean.begin(), model.mean.end(),
              [](Point p) { return std::abs(p.x) <= max_coordinate && std::abs(p.y) <= max_coordinate; }) &&
              face_size(model.mean) > 1e-6,
          "the model's mean is not a shape of about size 1");
  check_triangles(model.triangles, model.points);
  require(model.images >= 0, "a model cannot have ", model.images, " images");
  require(!model.levels.empty(), "the model has no levels");
  for (std::size_t i = 0; i < model.levels.size(); ++i)
    check_level_of(model, model.levels[i], "level " + std::to_string(i), true);
  const auto correlation = [](double value) { return value >= -1 && value <= 1; };
  require(correlation(model.calibration.face) && correlation(model.calibration.background),
          "the model's calibration has the correlations ", model.calibration.face, " and ",
          model.calibration.background);
  const FaceClassifier& classifier = model.face_classifier;
  require(classifier.level >= 0 && classifier.level < std::ssize(model.levels),
          "the model's face classifier is of level ", classifier.level, " of ", model.levels.size());
  const std::int64_t samples = model.levels[static_cast<std::size_t>(classifier.level)].samples();
  require(!classifier.known() || classifier.weights.size() == samples, "the model's face classifier has ",
          classifier.weights.size(), " weights for ", samples, " samples of its level");
  require(std::isfinite(classifier.offset) && all_finite(classifier.weights),
          "the model's face classifier holds a number that is not finite");
  if (model.refinement.known()) check_refinement(model);
  if (model.appearance.points != 0) check_appearance(model);
}

}  // namespace triptych::aam_fit
