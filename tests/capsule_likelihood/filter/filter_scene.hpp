// A walking human as points, for the tests of the filter.
#pragma once

#include <triptych/capsule_likelihood/motion.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace triptych::capsule_likelihood::test_scene {

struct Walk {
  Skeleton skeleton = make_human();
  Motion motion;
  std::int64_t frames;

  explicit Walk(int count, double rate_hz = 30)
      : motion(make_walk(skeleton, {.frames = count, .rate_hz = rate_hz})), frames(count) {
    place_in_view(skeleton, motion);
  }
  // A motion that is in view.
  Walk(Skeleton body, Motion moves)
      : skeleton(std::move(body)), motion(std::move(moves)), frames(motion.size()) {}

  std::span<const float> pose(std::int64_t frame) const { return motion.pose(frame); }
  std::vector<Vec3> joints(std::int64_t frame) const { return skeleton.joints(pose(frame)); }
  std::vector<Vec3> points(std::int64_t frame, std::int64_t count, std::uint64_t seed = 1) const {
    RenderOptions options;
    options.points = count;
    options.outliers = 0.1f;
    options.seed = seed + static_cast<std::uint64_t>(frame);
    return render_points(skeleton.capsules(pose(frame)), options);
  }
};

// The body looks the other way, with the same angles: turned about its y axis, on the spot.
inline std::vector<float> backwards(std::span<const float> pose) {
  std::vector<float> turned(pose.begin(), pose.end());
  turned[3] = -pose[5];  // the quaternion w x y z times j
  turned[4] = -pose[6];
  turned[5] = pose[3];
  turned[6] = pose[4];
  return turned;
}

inline double mean_error_m(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    sum += std::hypot(double{a[j].x} - double{b[j].x}, double{a[j].y} - double{b[j].y},
                      double{a[j].z} - double{b[j].z});
  return sum / static_cast<double>(a.size());
}

}  // namespace triptych::capsule_likelihood::test_scene
