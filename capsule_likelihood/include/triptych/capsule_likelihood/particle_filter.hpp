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
  std::int64_t max_points = 65536;

  // By how much a frame may differ from what the motion foresees (standard deviations). After frames that
  // came as foreseen the spreads shrink, down to min_spread of these.
  float place_spread_m = 0.03f;       // of the root
  float turn_spread_rad = 0.06f;      // of the root, about each axis
  float limb_spread_m = 0.06f;        // of the far end of what a joint moves ...
  float max_angle_spread_rad = 0.2f;  // ... but no angle by more than this
  float min_spread = 0.2f;            // 1: the spreads stay as they are
  float start_spread = 1.0f;          // about the pose of start(), times the spreads

  float shrink = 0.7f;            // the spreads of a layer, against those of the layer before it
  float effective_share = 0.05f;  // of the samples that the tempering keeps effective; 0: no tempering
  // Several layers go by turns for the trunk (the limbs give way to it) and for each limb by itself. With
  // false all dimensions are searched at once. A single layer is the plain particle filter.
  bool by_parts = true;

  // Of the constant velocity: the share of newly seen motion that it takes over, and what is left of it by
  // the next frame.
  float velocity_follow = 0.6f, velocity_damp = 0.85f;
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

class FilterEngine;  // of a CPU, of a GPU, of several GPUs

class ParticleFilter {
 public:
  ParticleFilter(const Skeleton& skeleton, const Measure& measure, const FilterOptions& options,
                 const Device& device);
  // By number, one or several GPUs: several share the likelihoods, the CPU does the rest. The same bits.
  ParticleFilter(const Skeleton& skeleton, const Measure& measure, const FilterOptions& options,
                 std::span<const int> gpus);
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
  std::unique_ptr<FilterEngine> engine_;
  bool started_ = false;
};

}  // namespace triptych::capsule_likelihood
