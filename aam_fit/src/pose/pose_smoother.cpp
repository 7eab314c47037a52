#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "pose/pose_angles.hpp"

namespace triptych::aam_fit {

namespace {

constexpr double min_z_m = 1e-9, max_m = 1e12;

// A turn by a small angle changes the quaternion by half of it.
OneEuroOptions for_quaternion(OneEuroOptions options) {
  options.beta = std::min(2 * options.beta, OneEuro::max_beta);
  return options;
}

}  // namespace

PoseSmoother::PoseSmoother(const PoseSmootherOptions& options) : distance_(options.distance) {
  direction_.fill(OneEuro(options.direction));
  rotation_.fill(OneEuro(options.rotation));  // checks them
  rotation_.fill(OneEuro(for_quaternion(options.rotation)));
}

HeadPose PoseSmoother::smooth(const HeadPose& pose, double seconds) {
  std::array<double, 4> rotation = pose.quaternion;
  double along = 0, squares = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    squares += rotation[i] * rotation[i];
    along += last_ ? rotation[i] * (*last_)[i] : 0;
  }
  require(std::abs(squares - 1) < 1e-6, "pose: its quaternion has the length ", std::sqrt(squares),
          ", not 1");
  require(
      pose.z_m >= min_z_m && pose.z_m <= max_m && std::abs(pose.x_m) <= max_m && std::abs(pose.y_m) <= max_m,
      "pose: its position ", pose.x_m, ", ", pose.y_m, ", ", pose.z_m, " is not in front of the camera");
  require(!last_ || (seconds > 0 && seconds <= OneEuro::max_seconds),
          "seconds since the last pose must be above 0 and at most ", OneEuro::max_seconds, ", not ",
          seconds);
  HeadPose smoothed = pose;
  smoothed.z_m = std::exp(distance_.filter(std::log(pose.z_m), seconds));
  smoothed.x_m = smoothed.z_m * direction_[0].filter(pose.x_m / pose.z_m, seconds);
  smoothed.y_m = smoothed.z_m * direction_[1].filter(pose.y_m / pose.z_m, seconds);
  // q and -q are the same rotation: the one nearer to the last is filtered.
  for (std::size_t i = 0; i < 4; ++i)
    rotation[i] = rotation_[i].filter(along < 0 ? -rotation[i] : rotation[i], seconds);
  last_ = rotation;
  set_rotation(smoothed, Eigen::Quaterniond(rotation[0], rotation[1], rotation[2], rotation[3]));
  return smoothed;
}

void PoseSmoother::reset() noexcept {
  for (OneEuro& filter : direction_) filter.reset();
  for (OneEuro& filter : rotation_) filter.reset();
  distance_.reset();
  last_.reset();
}

}  // namespace triptych::aam_fit
