#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>

#include <cmath>

#include "body/check_poses.hpp"

namespace triptych::capsule_likelihood::detail {

void check_pose(const Skeleton& skeleton, std::span<const float> pose, const std::string& name) {
  require(pose.size() == static_cast<std::size_t>(skeleton.pose_size()), name, " of ", pose.size(),
          " numbers does not fit a skeleton that needs ", skeleton.pose_size(), " numbers");
  for (const float x : pose) require(std::isfinite(x), name, " is not finite");
  for (std::size_t i = 0; i < 3; ++i) {
    require(std::abs(pose[i]) <= max_position_m, name, " has a root at ", pose[i],
            " m, farther than 1000 km");
  }
  const double norm =
      length(length(double{pose[3]}, double{pose[4]}), length(double{pose[5]}, double{pose[6]}));
  require(norm > 1e-6 && norm < 1e6, name, " has an orientation of length ", norm);
  for (std::size_t i = Skeleton::root_floats; i < pose.size(); ++i) {
    require(std::abs(pose[i]) <= Skeleton::max_angle_rad, name, " has an angle of ", pose[i],
            " rad: at most ", Skeleton::max_angle_rad, " rad are possible");
  }
}

void check_poses(const Skeleton& skeleton, const Motion& motion) {
  require(motion.empty() || motion.pose_size == skeleton.pose_size(), "poses of ", motion.pose_size,
          " numbers do not fit a skeleton that needs ", skeleton.pose_size());
  for (std::int64_t i = 0; i < motion.size(); ++i)
    check_pose(skeleton, motion.pose(i), "pose " + std::to_string(i));
}

}  // namespace triptych::capsule_likelihood::detail
