// What the harnesses of this module do with what was read.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <span>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace triptych::fuzz {

// Ends the program unless the condition holds: the fuzzer keeps the input.
inline void demand(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "not so: " << what << '\n';
  std::abort();
}

inline bool is_finite(const capsule_likelihood::Vec3& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

// The likelihood of a body on a few points: finite, and the same by culling and by brute force.
inline void score(std::span<const capsule_likelihood::Capsule> body,
                  std::span<const capsule_likelihood::Vec3> points) {
  using capsule_likelihood::Method;
  const capsule_likelihood::Rays rays(points, {}, {}, 1);
  const MatrixView<const capsule_likelihood::Capsule> bodies(body.data(), 1,
                                                             static_cast<std::int64_t>(body.size()));
  double culled = 0, brute = 0;
  evaluate_cpu(rays, bodies, {&culled, 1}, {Method::culled}, 1);
  evaluate_cpu(rays, bodies, {&brute, 1}, {Method::brute}, 1);
  demand(std::isfinite(culled) && culled == brute, "the likelihood is finite and the same by both methods");
}

// Poses a skeleton at rest and scores it.
inline void use(const capsule_likelihood::Skeleton& skeleton) {
  std::vector<float> pose = skeleton.rest_pose();
  pose[2] = 3;
  for (const auto& joint : skeleton.joints(pose)) demand(is_finite(joint), "joints are finite");
  const std::vector<capsule_likelihood::Capsule> body = skeleton.capsules(pose);
  const std::vector<capsule_likelihood::Vec3> points = {
      {0, 0, 3}, {0.1f, 0.2f, 2.9f}, {-1, 1, 4}, {0, -2, 1}};
  if (!body.empty()) score(body, points);
}

}  // namespace triptych::fuzz
