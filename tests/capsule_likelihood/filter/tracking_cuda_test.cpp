// Whole motions followed on the GPU at full size: 20,000 points with 1 cm of noise, a tenth of them outliers,
// 4000 samples in 5 layers, the truth known for the first frame alone.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "testing/data_dir.hpp"
#include "testing/gpu.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::Walk;

class TrackingCuda : public testing::Test {
 protected:
  void SetUp() override { TRIPTYCH_REQUIRE_CUDA_OR_SKIP(); }
};

constexpr std::int64_t points = 20000;
constexpr double max_mean_m = 0.040;  // over all joints and frames
constexpr double lost_m = 0.150;      // a joint this far away ...
constexpr int max_lost_frames = 10;   // ... for more frames than this is lost

void expect_followed(const Walk& motion, const std::string& name) {
  FilterOptions options;
  options.samples = 4000;
  options.layers = 5;
  ParticleFilter filter(motion.skeleton, options, Device::cuda(0));
  filter.start(motion.pose(0));
  double sum = 0, worst = 0;
  std::vector<int> away(static_cast<std::size_t>(motion.skeleton.joint_count()));
  int longest = 0;
  for (std::int64_t frame = 0; frame < motion.frames; ++frame) {
    const Estimate estimate = filter.step(motion.points(frame, points));
    EXPECT_TRUE(estimate.found()) << name << " frame " << frame << ": score " << estimate.score;
    const std::vector<Vec3> truth = motion.joints(frame);
    for (std::size_t j = 0; j < truth.size(); ++j) {
      const double error = test_scene::mean_error_m(std::span(estimate.joints).subspan(j, 1),
                                                    std::span<const Vec3>(truth).subspan(j, 1));
      sum += error;
      worst = std::max(worst, error);
      away[j] = error > lost_m ? away[j] + 1 : 0;
      longest = std::max(longest, away[j]);
    }
  }
  const double mean = sum / static_cast<double>(motion.frames) / static_cast<double>(away.size());
  std::cout << name << ": " << motion.frames << " frames, " << away.size() << " joints, mean error "
            << 1000 * mean << " mm, worst " << 1000 * worst << " mm, longest beyond " << 1000 * lost_m
            << " mm: " << longest << " frames\n";
  EXPECT_LT(mean, max_mean_m);
  EXPECT_LE(longest, max_lost_frames);
}

TEST_F(TrackingCuda, FollowsTheSyntheticWalk) { expect_followed(Walk(150), "synthetic walk"); }

// Recorded motions, all frames after the added T-pose.
TEST_F(TrackingCuda, FollowsRecordedWalks) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  for (const char* const name : {"02_01.bvh", "35_01.bvh"}) {
    const Bvh bvh = read_bvh(data / "mocap_cmu" / name);
    BvhSkeletonOptions options;
    options.fixed_at_frame = 1;
    const Skeleton skeleton = make_skeleton(bvh, options);
    Motion motion = poses_of(bvh, skeleton, guess_scale(bvh).metres_per_unit);
    motion.values.erase(motion.values.begin(), motion.values.begin() + motion.pose_size);
    ViewOptions view;
    view.yaw_rad = std::numbers::pi_v<float>;  // towards the camera
    place_in_view(skeleton, motion, view);
    expect_followed({skeleton, motion}, name);
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood
