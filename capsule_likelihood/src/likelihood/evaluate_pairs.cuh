// The test of pairs as the kernels do it: the rays of a lane, a capsule for the whole warp. For .cu files.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include <cstdint>
#include <type_traits>

#include "likelihood/evaluate_cuda.hpp"
#include "rays/ray_capsule_math.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

struct LaneRay {
  float x, y, g, h, vv, inverse_vv;

  __device__ __forceinline__ RayDirection direction() const { return {x, y, vv, inverse_vv}; }
};

__device__ __forceinline__ LaneRay lane_ray(const Ray& ray) {
  const RayDirection v = ray_direction(ray.x, ray.y);
  return {ray.x, ray.y, ray.g, ray.h, v.vv, v.inverse_vv};
}

// Rare, and kept out of the way of the registers of the others.
static __device__ __noinline__ float intersect_near_apart(float x, float y, const PreparedCapsule* p) {
  return intersect_near(ray_direction(x, y), *p);
}

// intersect() and better() for a capsule that is not near. The ends are tested when a lane of the warp needs
// it.
template <Surface surface>
__device__ __forceinline__ float test_pair(const LaneRay& ray, const PreparedCapsule& p, const Aim& aim,
                                           float best) {
  const CylinderHit hit = intersect_cylinder(p, aim);
  float t = hit.t;
  if (is_beyond_end(p, hit)) t = intersect_end(ray.direction(), p, aim, hit);
  return better(surface, best, t, ray.g, ray.h);
}

// A sum over the rays of a warp: 128 x 2^22 at most without weights.
template <bool Weighted>
using WarpGain = std::conditional_t<Weighted, Gain, unsigned>;

// What Rays rays of a lane gain, summed over the warp. weight: of this lane's first ray, the others 32 apart.
template <Surface surface, bool Weighted, int Rays>
__device__ __forceinline__ WarpGain<Weighted> gain_of_warp(const LaneRay (&ray)[Rays],
                                                           const float (&best)[Rays], Loss loss,
                                                           const std::uint32_t* weight) {
  WarpGain<Weighted> sum = 0;
#pragma unroll
  for (int r = 0; r < Rays; ++r) {
    const int gain = gain_of(loss, residual_of(surface, best[r], ray[r].g, ray[r].h));
    if constexpr (Weighted) {
      sum += weighted_gain(gain, weight[r * 32]);
    } else {
      sum += static_cast<unsigned>(gain);
    }
  }
  if constexpr (Weighted) {
    return reduction::warp_sum_bits<48>(sum);
  } else {
    return reduction::warp_sum(sum);
  }
}

}  // namespace triptych::capsule_likelihood
