// Expects that two estimates have the same bits, latencies aside.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace triptych::capsule_likelihood::test_scene {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

inline void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_TRUE(same_bits(a.pose, b.pose));
  EXPECT_TRUE(same_bits(a.joints, b.joints));
  EXPECT_TRUE(same_bits(a.covariances, b.covariances));
  EXPECT_EQ(a.effective_samples, b.effective_samples);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.confidence, b.confidence);
  EXPECT_EQ(a.evidence.on_body, b.evidence.on_body);
  EXPECT_EQ(a.evidence.near_on_body, b.evidence.near_on_body);
  EXPECT_EQ(a.evidence.way, b.evidence.way);
  EXPECT_EQ(a.evidence.body_seen, b.evidence.body_seen);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.points.used, b.points.used);
  EXPECT_EQ(a.points.not_finite, b.points.not_finite);
  EXPECT_EQ(a.points.not_in_front, b.points.not_in_front);
}

}  // namespace triptych::capsule_likelihood::test_scene
