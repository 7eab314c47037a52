// A walking human as points, for the tests of the filter.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood::test_scene {

struct Walk {
  Skeleton skeleton = make_human();
  std::int64_t frames;
  std::vector<float> poses;

  explicit Walk(int count, double rate_hz = 30) : frames(count) {
    WalkOptions options;
    options.frames = count;
    options.rate_hz = rate_hz;
    poses = make_walk(skeleton, options);
    place_in_view(skeleton, {poses.data(), frames, skeleton.pose_size()});
  }
  std::span<const float> pose(std::int64_t frame) const {
    const auto size = static_cast<std::size_t>(skeleton.pose_size());
    return std::span(poses).subspan(static_cast<std::size_t>(frame) * size, size);
  }
  std::vector<Vec3> joints(std::int64_t frame) const {
    std::vector<Vec3> joints(static_cast<std::size_t>(skeleton.joint_count()));
    pose_cpu(skeleton, {pose(frame).data(), 1, skeleton.pose_size()},
             {joints.data(), 1, skeleton.joint_count()}, {}, 1);
    return joints;
  }
  std::vector<Vec3> points(std::int64_t frame, std::int64_t count, std::uint64_t seed = 1) const {
    std::vector<Capsule> body(static_cast<std::size_t>(skeleton.capsule_count()));
    pose_cpu(skeleton, {pose(frame).data(), 1, skeleton.pose_size()}, {},
             {body.data(), 1, skeleton.capsule_count()}, 1);
    RenderOptions options;
    options.points = count;
    options.outliers = 0.1f;
    options.seed = seed + static_cast<std::uint64_t>(frame);
    return render_points(body, options);
  }
};

inline double mean_error_m(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    sum += std::hypot(double{a[j].x} - double{b[j].x}, double{a[j].y} - double{b[j].y},
                      double{a[j].z} - double{b[j].z});
  return sum / static_cast<double>(a.size());
}

}  // namespace triptych::capsule_likelihood::test_scene
