#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

bool same(const SharedArray<float>& a, const SharedArray<float>& b) {
  return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
}

}  // namespace

void FitterEngine::check(const Face& face) const {
  require(!face.frame.empty(), "an empty frame has no face");
  require(static_cast<std::int64_t>(face.start.size()) == model_.points, "a model of ", model_.points,
          " points cannot start from ", face.start.size());
  require(std::all_of(face.start.begin(), face.start.end(),
                      [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
          "a start has a point that is not finite");
  check_for_engine(face);
}

bool shares_planes(const Level& level, const Level& before) {
  return level.face_size_px == before.face_size_px && level.features == before.features;
}

bool shares_parameters(const Level& level, const Level& before) {
  return shares_planes(level, before) && same(level.s0, before.s0) && same(level.Qs, before.Qs) &&
         same(level.Qg, before.Qg);
}

}  // namespace triptych::aam_fit
