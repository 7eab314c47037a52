#include <triptych/capsule_likelihood/estimate.hpp>

#include <cmath>

namespace triptych::capsule_likelihood {

namespace {

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

}  // namespace

std::string to_string(FilterStatus status) {
  switch (status) {
    case FilterStatus::tracking:
      return "tracking";
    case FilterStatus::lost:
      return "lost";
    default:
      return "uncertain";
  }
}

std::string reason(const Estimate& estimate) {
  if (estimate.found()) return {};
  const PointCount& points = estimate.points;
  const Evidence& evidence = estimate.evidence;
  if (points.used == 0)
    return "no point can be used: " + std::to_string(points.not_finite) + " are not finite, " +
           std::to_string(points.not_in_front) +
           " are not in front of the camera: pass metres in the camera's frame, z forward";
  if (estimate.status == FilterStatus::lost || evidence.on_body < 0.5)
    return percent(evidence.on_body) +
           " of the points lie on the body: pass the points of one person alone, in metres, y up, and search "
           "again with find()";
  if (evidence.way < 0.75)
    return "the body may as well look the other way (probability of this one " + percent(evidence.way) +
           "): search again with find() in a frame that shows the person from the side or in motion";
  if (evidence.body_seen < 0.85)
    return "the points show " + percent(evidence.body_seen) +
           " of the body's side towards the camera: limbs are elsewhere or out of view; search again with "
           "find()";
  return "the body agrees with the points in part (" + percent(evidence.on_body) + " of them on it, " +
         percent(evidence.body_seen) + " of it seen): search again with find(), or use more samples";
}

}  // namespace triptych::capsule_likelihood
