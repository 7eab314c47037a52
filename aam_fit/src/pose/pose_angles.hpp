// Between the forms of a rotation. R = Rz(roll) Rx(-pitch) Ry(-yaw), with y down and z away from the camera.
#pragma once

#include <triptych/aam_fit/head_pose.hpp>

#include <Eigen/Geometry>

namespace triptych::aam_fit {

// Sets matrix, quaternion (w is not negative) and angles.
void set_rotation(HeadPose& pose, const Eigen::Quaterniond& rotation);

// Derivative of yaw, pitch, roll by a small rotation about the camera's axes.
Eigen::Matrix3d angles_by_rotation(const HeadPose& pose);

}  // namespace triptych::aam_fit
