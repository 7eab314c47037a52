// A standing body whose limbs are searched for, and what a camera in front of it sees.
#pragma once

#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"

namespace triptych::capsule_likelihood::test_scene {

struct LimbScene {
  Skeleton body = make_human();
  std::vector<Limb> limbs = limbs_of(body);
  PoseScore score{body, limbs};
  std::vector<float> at_rest = body.rest_pose();

  LimbScene() { at_rest[2] = 2.5f; }

  std::size_t joint(const std::string& name) const { return static_cast<std::size_t>(body.find(name)); }
  // The limb that ends at a joint.
  const Limb& limb_to(const std::string& name) const {
    return *std::find_if(limbs.begin(), limbs.end(), [&](const Limb& limb) {
      return !limb.bones.empty() && limb.bones.back().end == joint(name);
    });
  }
  std::vector<Vec3> points_of(std::span<const float> pose) const {
    RenderOptions options;
    options.points = 1500;
    options.outliers = 0.05f;
    return render_points(body.capsules(pose), options);
  }
  // The pose with other first angles of a joint.
  std::vector<float> with(std::vector<float> pose, const std::string& name,
                          std::initializer_list<float> angles) const {
    std::copy(angles.begin(), angles.end(), pose.begin() + body.first_angle(body.find(name)));
    return pose;
  }
  double distance_m(const std::string& name, std::span<const float> a, std::span<const float> b) const {
    const std::size_t j = joint(name);
    return mean_error_m({&body.joints(a)[j], 1}, {&body.joints(b)[j], 1});
  }
};

}  // namespace triptych::capsule_likelihood::test_scene
