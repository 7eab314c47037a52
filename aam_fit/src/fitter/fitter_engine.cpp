#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "crop/prepare_cpu.hpp"
#include "crop/prepare_math.hpp"
#include "fitter/confidence.hpp"
#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

bool same(const SharedArray<float>& a, const SharedArray<float>& b) {
  return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
}

}  // namespace

FitterEngine::FitterEngine(const Model& model, const FitterOptions& options)
    : model_(model), options_(options) {
  for (const Level& level : model_.levels) {
    double sum = 0;
    for (const float g : level.g0) sum += double{g} * double{g};
    g0_squared_.push_back(sum);
  }
  const std::vector<Level>& levels = model_.levels;
  const auto is_large = [&](const Level& level) {
    return level.face_size_px >= 0.5 * levels.back().face_size_px;
  };
  choice_ =
      1 + static_cast<std::size_t>(std::find_if(levels.begin(), levels.end(), is_large) - levels.begin());
}

double FitterEngine::crop_margin(std::size_t level) const {
  const bool is_first = model_.levels[level].face_size_px == model_.levels.front().face_size_px;
  return is_first ? options_.crop_margin : std::min(options_.crop_margin, later_crop_margin);
}

std::vector<Shape> FitterEngine::starts(const Shape& start, bool alone) const {
  // In widths and heights of the start: the corners, then the sides.
  constexpr double d = 0.06;
  constexpr std::array<Point, 9> shifts = {
      {{0, 0}, {d, d}, {-d, d}, {d, -d}, {-d, -d}, {d, 0}, {-d, 0}, {0, d}, {0, -d}}};
  const Box box = bounds(start);
  std::vector<Shape> all(static_cast<std::size_t>(start_count(alone)), start);
  for (std::size_t i = 1; i < all.size(); ++i)
    for (Point& p : all[i]) p = {p.x + shifts[i].x * box.width, p.y + shifts[i].y * box.height};
  return all;
}

void FitterEngine::check(const Face& face) const {
  check(face.frame.width(), face.frame.height(), face.start);
}
void FitterEngine::check(const DeviceFace& face) const {
  check_device_frames();
  check(face.frame.width(), face.frame.height(), face.start);
}

void FitterEngine::check(std::int64_t width, std::int64_t height, const Shape& start) const {
  require(width > 0 && height > 0, "an empty frame has no face");
  require(static_cast<std::int64_t>(start.size()) == model_.points, "a model of ", model_.points,
          " points cannot start from ", start.size());
  require(std::all_of(start.begin(), start.end(),
                      [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
          "a start has a point that is not finite");
  const Crop crop = crop_for(model_.levels.front(), start, options_.crop_margin);
  require(is_within_reach(crop, width, height), "a start whose crop lies at (", crop.x_px, ", ", crop.y_px,
          ") and is ", crop.step * crop.width, " x ", crop.step * crop.height,
          " pixels is too far from a frame of ", width, " x ", height, ", or too large or small for it");
  check_size(width, height);
}

void FitterEngine::set_outcome(Fit& fit, std::size_t last_level, double squared_error, FitStatus status,
                               double compared_error) const {
  const Level& level = model_.levels[last_level];
  // A stage tries the steps it was trained for and is done then, whether or not the last one lowered the
  // error.
  const bool fixed_steps = is_stage(level) || options_.fit.always_step;
  const bool ended = status == FitStatus::out_of_iterations || status == FitStatus::no_improvement;
  fit.status = fixed_steps && ended ? FitStatus::completed : status;
  squared_error = std::max(0.0, squared_error);  // differences of sums: rounding may leave less
  fit.error = squared_error / static_cast<double>(level.samples());
  fit.score = is_lost(status) || !std::isfinite(squared_error)
                  ? 0
                  : g0_squared_[last_level] / (g0_squared_[last_level] + squared_error);
  if (is_lost(status) || last_level + 1 < model_.levels.size()) return;
  fit.confidence =
      confidence_of(model_.calibration, correlation_of(level, g0_squared_[last_level], compared_error),
                    deviation_of(level, fit.parameters));
  if (fit.confidence < options_.min_confidence) fit.status = FitStatus::lost_no_face;
}

std::string FitterEngine::describe_levels() const {
  std::string line;
  const std::size_t count = model_.levels.size();
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    const std::string text = describe_level(first);
    for (end = first + 1; end < count && describe_level(end) == text;) ++end;
    if (first > 0) line += "; ";
    line += end - first == 1 ? "level " + std::to_string(first)
                             : "levels " + std::to_string(first) + " to " + std::to_string(end - 1);
    line += ": " + text;
  }
  if (refines())
    line += "; then " + std::to_string(options_.refinement_steps) + " Gauss-Newton steps on patches";
  return line;
}

std::string describe_model(const Model& model) {
  const Level& finest = model.levels.back();
  return (model.name.empty() ? "model" : model.name) + ": " + std::to_string(model.points) + " landmarks, " +
         std::to_string(model.levels.size()) + " levels, " + std::to_string(finest.modes) + " modes and " +
         std::to_string(finest.samples()) + " samples at the finest";
}

bool shares_planes(const Level& level, const Level& before) {
  return level.face_size_px == before.face_size_px && level.features == before.features;
}

bool shares_parameters(const Level& level, const Level& before) {
  return shares_planes(level, before) && same(level.s0, before.s0) && same(level.Qs, before.Qs) &&
         same(level.Qg, before.Qg);
}

}  // namespace triptych::aam_fit
