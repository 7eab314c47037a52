#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "pose/pose_angles.hpp"

namespace triptych::aam_fit {

namespace {

// A turn by a small angle changes the quaternion by half of it.
OneEuroOptions for_quaternion(OneEuroOptions options) {
  options.beta = std::min(2 * options.beta, OneEuro::max_beta);
  return options;
}

}  // namespace

PoseSmoother::PoseSmoother(const PoseSmootherOptions& options) {
  position_.fill(OneEuro(options.position));
  OneEuro rotation(options.rotation);  // checks them
  rotation = OneEuro(for_quaternion(options.rotation));
  rotation_.fill(rotation);
}

HeadPose PoseSmoother::smooth(const HeadPose& pose, double seconds) {
  const std::array<double, 3> position{pose.x_m, pose.y_m, pose.z_m};
  std::array<double, 4> rotation = pose.quaternion;
  double along = 0, length = 0;  // of the quaternion, on the last one
  for (std::size_t i = 0; i < 4; ++i) {
    length += rotation[i] * rotation[i];
    along += last_ ? rotation[i] * (*last_)[i] : 0;
  }
  require(std::abs(length - 1) < 1e-6, "pose: its quaternion has the length ", std::sqrt(length), ", not 1");
  for (const double value : position)
    require(std::abs(value) <= OneEuro::max_value, "pose: its position ", value, " is not finite");
  require(!last_ || (seconds > 0 && seconds <= OneEuro::max_seconds),
          "seconds since the last pose must be above 0 and at most ", OneEuro::max_seconds, ", not ",
          seconds);
  HeadPose smoothed = pose;
  smoothed.x_m = position_[0].filter(position[0], seconds);
  smoothed.y_m = position_[1].filter(position[1], seconds);
  smoothed.z_m = position_[2].filter(position[2], seconds);
  // q and -q are the same rotation: the one nearer to the last is filtered.
  for (std::size_t i = 0; i < 4; ++i)
    rotation[i] = rotation_[i].filter(along < 0 ? -rotation[i] : rotation[i], seconds);
  last_ = rotation;
  set_rotation(smoothed, Eigen::Quaterniond(rotation[0], rotation[1], rotation[2], rotation[3]));
  return smoothed;
}

void PoseSmoother::reset() noexcept {
  for (OneEuro& filter : position_) filter.reset();
  for (OneEuro& filter : rotation_) filter.reset();
  last_.reset();
}

}  // namespace triptych::aam_fit
