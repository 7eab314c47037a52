#include <algorithm>
#include <cmath>

#include "pose/pose_angles.hpp"

namespace triptych::aam_fit {

void set_rotation(HeadPose& pose, const Eigen::Quaterniond& rotation) {
  Eigen::Quaterniond q = rotation.normalized();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const Eigen::Matrix3d r = q.toRotationMatrix();
  pose.quaternion = {q.w(), q.x(), q.y(), q.z()};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.camera_from_head.data()) = r;
  pose.yaw = std::atan2(r(2, 0), r(2, 2));
  pose.pitch = std::asin(std::clamp(-r(2, 1), -1.0, 1.0));
  pose.roll = std::atan2(-r(0, 1), r(1, 1));
}

Eigen::Matrix3d angles_by_rotation(const HeadPose& pose) {
  // A change of roll turns about z; of pitch about -x, rolled; of yaw about -y, pitched and rolled. Looking
  // straight up or down, yaw and roll turn about the same axis: the cosine is kept from 0.
  const double cos_pitch = std::max(std::cos(pose.pitch), 1e-6);
  const double cos_roll = std::cos(pose.roll), sin_roll = std::sin(pose.roll);
  Eigen::Matrix3d by;
  by.row(0) << sin_roll / cos_pitch, -cos_roll / cos_pitch, 0;
  by.row(1) << -cos_roll, -sin_roll, 0;
  by.row(2) = Eigen::RowVector3d::UnitZ() - std::sin(pose.pitch) * by.row(0);
  return by;
}

}  // namespace triptych::aam_fit
