// Checks that the sizes of a model's arrays are consistent.
#include <triptych/aam_fit/model.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace triptych::aam_fit {
namespace {

class LevelCheck {
 public:
  LevelCheck(const Level& level, std::string name) : level_(level), name_(std::move(name)) {}

  // with_update: it has an R.
  void check(int points, bool with_update) const {
    const Level& l = level_;
    check_features(l.features);
    require(l.points == points, name_, " has ", l.points, " landmarks, the model ", points);
    require(l.modes >= 0 && l.iterations >= 0, name_, " has ", l.modes, " modes and ", l.iterations,
            " iterations");
    require(std::isfinite(l.face_size_px) && l.face_size_px > 0, name_, " has faces of ", l.face_size_px,
            " pixels");
    require(std::isfinite(l.sample_offset), name_, ": kappa is not finite");
    check_frame(points);
    const std::int64_t n = l.pixels() * channels(l.features), m = l.modes,
                       coordinates = 2 * std::int64_t{points};
    array("s0", l.s0, coordinates);
    array("Qs", l.Qs, coordinates * m);
    array("Ks", l.Ks, m * coordinates);
    array("g0", l.g0, n);
    array("Qg", l.Qg, m * n);
    array("R", l.R, with_update ? (m + 4) * n : 0);
    array("sigma", l.sigma, m);
    require(std::any_of(l.g0.begin(), l.g0.end(), [](float v) { return v != 0; }), name_,
            ": g0 is all zeros");
    require(l.shape_modes >= 0 && l.texture_modes >= 0, name_, " has ", l.shape_modes, " shape modes and ",
            l.texture_modes, " texture modes");
    array("Ps", l.Ps, l.shape_modes * coordinates);
    array("Pg", l.Pg, l.texture_modes * n);
    array("ps_sigma", l.ps_sigma, l.shape_modes);
  }

 private:
  void array(const char* what, const SharedArray<float>& values, std::int64_t size) const {
    require(values.size() == size, name_, ": ", what, " has ", values.size(), " numbers instead of ", size);
    require(std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }), name_, ": ",
            what, " holds a number that is not finite");
  }

  void check_frame(int points) const {
    const ReferenceFrame& frame = level_.frame;
    require(frame.width > 0 && frame.height > 0 && frame.size() > 0, name_, ": the reference frame of ",
            frame.width, " x ", frame.height, " pixels has ", frame.size(), " of them");
    require(frame.raster_indices.size() == frame.size(), name_, ": the reference frame has ", frame.size(),
            " pixels in ", frame.raster_indices.size(), " places");
    require(std::isfinite(frame.scale) && frame.scale > 0, name_, ": the reference frame's scale is ",
            frame.scale);
    const std::int64_t area = std::int64_t{frame.width} * frame.height;
    std::int64_t before = -1;
    for (const std::int32_t place : frame.raster_indices) {
      require(place > before && place < area, name_, ": the reference frame has a pixel at ", place,
              " after ", before, ", of ", area);
      before = place;
    }
    for (const WarpPixel& pixel : frame.pixels) {
      for (const std::uint16_t corner : pixel.corners)
        require(corner < points, name_, ": the reference frame names landmark ", corner, " of ", points);
      require(std::isfinite(pixel.a) && std::isfinite(pixel.b), name_,
              ": the reference frame has a weight that is not finite");
    }
  }

  const Level& level_;
  std::string name_;
};

}  // namespace

void check_model(const Model& model) {
  require(model.points >= 3 && model.points <= 65535, "a model cannot have ", model.points, " landmarks");
  require(static_cast<int>(model.mean.size()) == model.points, "the model's mean has ", model.mean.size(),
          " landmarks instead of ", model.points);
  require(std::all_of(model.mean.begin(), model.mean.end(),
                      [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
          "the model's mean is not finite");
  check_triangles(model.triangles, model.points);
  require(!model.levels.empty(), "the model has no levels");
  for (std::size_t i = 0; i < model.levels.size(); ++i)
    LevelCheck(model.levels[i], "level " + std::to_string(i)).check(model.points, true);
  if (model.appearance.points != 0) LevelCheck(model.appearance, "the appearance").check(model.points, false);
}

}  // namespace triptych::aam_fit
