// A walking body seen by several cameras, and filters on several ranks, for the tests of shared filters.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/exchange.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "capsule_likelihood/filter/same_estimate.hpp"

namespace triptych::capsule_likelihood::test_scene {

// A camera that looks at a body at (0, 0, 3) from the same distance, rotated about the vertical.
inline RigidTransform camera_around(double angle_rad, double distance_m = 3) {
  const auto c = static_cast<float>(std::cos(angle_rad)), s = static_cast<float>(std::sin(angle_rad));
  RigidTransform camera_from_world;
  camera_from_world.rotation = {c, 0, s, 0, 1, 0, -s, 0, c};
  const auto d = static_cast<float>(distance_m);
  camera_from_world.translation_m = {-s * d, 0, d - c * d};
  return camera_from_world;
}

// What a camera sees of a walk: points in its frame.
inline std::vector<Vec3> seen_by(const Walk& walk, const RigidTransform& camera_from_world,
                                 std::int64_t frame, std::int64_t count, std::uint64_t seed) {
  std::vector<Capsule> body = walk.skeleton.capsules(walk.pose(frame));
  for (Capsule& capsule : body) {
    capsule.a = transform(camera_from_world, capsule.a);
    capsule.b = transform(camera_from_world, capsule.b);
  }
  RenderOptions options;
  options.points = count;
  options.outliers = 0.1f;
  options.seed = seed + static_cast<std::uint64_t>(frame);
  return render_points(body, options);
}

struct RankResult {
  std::vector<Estimate> estimates;
  std::vector<float> samples;
  std::string failure;
};

// Runs work(rank, result) on a thread for each rank.
inline std::vector<RankResult> run_ranks(int size, const std::function<void(int, RankResult&)>& work) {
  std::vector<RankResult> results(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      RankResult& result = results[static_cast<std::size_t>(rank)];
      try {
        work(rank, result);
      } catch (const Error& e) {
        result.failure = e.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return results;
}

inline void expect_same_result(const RankResult& a, const RankResult& b) {
  EXPECT_EQ(a.failure, "");
  EXPECT_EQ(b.failure, "");
  ASSERT_EQ(a.estimates.size(), b.estimates.size());
  for (std::size_t i = 0; i < a.estimates.size(); ++i) expect_same(a.estimates[i], b.estimates[i]);
  EXPECT_TRUE(same_bits(a.samples, b.samples));
}

}  // namespace triptych::capsule_likelihood::test_scene
