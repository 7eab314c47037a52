// ParticleFilter: follows a skeleton through clouds of points. Made once for a device, then fed a cloud a
// frame.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/device.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

enum class Motion { random_walk, constant_velocity };

struct FilterOptions {
  int samples = 2000;
  int layers = 5;  // of annealing a frame: each spreads less than the one before it
  std::uint64_t seed = 1;
  Motion motion = Motion::constant_velocity;
  std::int64_t most_points = 65536;
  // (The spreads, the share of samples that should stay effective, ...: each with its unit and a default that
  // tracks a walking person at 30 frames a second.)
};

struct Estimate {
  std::vector<float> pose;   // weighted mean; rotations are averaged as rotations
  std::vector<Vec3> joints;  // of that pose
  std::vector<std::array<float, 6>>
      covariances;  // of each joint's place over the samples: xx xy xz yy yz zz, m^2
  double effective_samples = 0;
  double log_likelihood = 0;  // of the best sample
  PointCount points;
};

class ParticleFilter {
 public:
  ParticleFilter(const Skeleton& skeleton, const Measure& measure, const FilterOptions& options,
                 const Device& device);
  ParticleFilter(ParticleFilter&&) noexcept;
  ParticleFilter& operator=(ParticleFilter&&) noexcept;
  ~ParticleFilter();

  // All samples at a pose, spread by the filter's start spread.
  void start(std::span<const float> pose);
  // No pose is known: the root is taken from the cloud's extent, and several orientations and annealing find
  // the rest.
  Estimate find(std::span<const Vec3> points);

  Estimate step(std::span<const Vec3> points, std::span<const float> sigma_m = {});

  // The samples of the last frame: a pose in each row, samples x pose_size.
  std::vector<float> samples() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::capsule_likelihood
