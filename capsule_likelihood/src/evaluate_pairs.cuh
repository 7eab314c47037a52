// The test of pairs as the kernels do it: the rays of a lane, a capsule for the whole warp. For .cu files.
#pragma once

#include <cstdint>

#include "evaluate_cuda.hpp"
#include "measure_math.hpp"
#include "ray_capsule_math.hpp"
#include "warp.cuh"

namespace triptych::capsule_likelihood {

struct LaneRay {
  RayDirection v;
  float g, h;
};

__device__ __forceinline__ LaneRay lane_ray(const Ray& ray) {
  return {ray_direction(ray.x, ray.y), ray.g, ray.h};
}

// Rare, and kept out of the way of the registers of the others.
static __device__ __noinline__ float meet_near_apart(float x, float y, const PreparedCapsule* p) {
  return meet_near(ray_direction(x, y), *p);
}

// meet() and better() for a capsule that is not near. All lanes of the warp are here; the ends are looked at
// when one of them needs it.
template <Surface surface>
__device__ __forceinline__ float test_pair(const LaneRay& ray, const PreparedCapsule& p, const Aim& aim,
                                           float best) {
  const CylinderHit hit = meet_cylinder(p, aim);
  const bool beyond = is_beyond_end(p, hit);
  float t = hit.t;
  if (__any_sync(whole_warp, beyond)) {
    const float end = meet_end(ray.v, p, aim, hit);
    if (beyond) t = end;
  }
  return better(surface, best, t, ray.g, ray.h);
}

// What Rays rays of a lane gain, summed over the warp. weight: of this lane's first ray, the others 32 apart;
// null without weights.
template <Surface surface, int Rays>
__device__ __forceinline__ Gain gain_of_warp(const LaneRay (&ray)[Rays], const float (&best)[Rays], Loss loss,
                                             const std::uint32_t* weight) {
  int gain[Rays];
#pragma unroll
  for (int r = 0; r < Rays; ++r) gain[r] = gain_of(loss, residual_of(surface, best[r], ray[r].g, ray[r].h));
  if (weight == nullptr) {
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < Rays; ++r) sum += static_cast<unsigned>(gain[r]);
    return warp_sum(sum);
  }
  Gain sum = 0;
#pragma unroll
  for (int r = 0; r < Rays; ++r) sum += weighted_gain(gain[r], weight[r * 32]);
  return warp_sum(sum);
}

}  // namespace triptych::capsule_likelihood
