// The likelihood of a filter with several cameras or ranks, on the CPU.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/matrix_view.hpp>

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "filter/evidence/confidence.hpp"
#include "filter/filter_share.hpp"

namespace triptych::capsule_likelihood {

class SharedLikelihood {
 public:
  // All arguments live as long as the object.
  SharedLikelihood(const FilterShare& share, const Skeleton& skeleton, const SensorModel& sensor, int threads)
      : share_(share), skeleton_(skeleton), sensor_(sensor), threads_(threads) {}

  // The clouds of a frame, one for each camera. Not collective: a failure is thrown by evaluate().
  void set(std::span<const CloudView> clouds);
  // Collective.
  void evaluate(MatrixView<const float> poses, std::span<double> log_likelihoods);
  // Collective: fills in what depends on the clouds of all ranks, for a body of that scale.
  void complete(Estimate& estimate, std::span<const CloudView> clouds, double scale);

 private:
  void add_losses(MatrixView<const float> poses);

  const FilterShare& share_;
  const Skeleton& skeleton_;
  const SensorModel& sensor_;
  int threads_;
  std::vector<Rays> rays_;  // of each camera
  std::vector<Capsule> bodies_, in_camera_;
  std::vector<std::int64_t> losses_;  // of each sample; then how many ranks have failed
  std::exception_ptr failure_;
};

// What an estimate has of all clouds of a frame. Sums of integers, over the ranks, too.
struct FrameTotals {
  PointCount points;
  std::int64_t max_loss = 0;  // in the steps of loss_steps()
  EvidenceCounts evidence;

  // Collective when the ranks split the cameras.
  void sum(const FilterShare& share, const std::exception_ptr& failure);
  void complete(Estimate& estimate, const SensorModel& sensor) const;
};
// The evidence of one camera's sample.
void add_evidence(EvidenceCounts& counts, std::span<const Capsule> body, const RigidTransform& camera,
                  double scale, const EvidenceSample& sample, const SensorModel& sensor);

}  // namespace triptych::capsule_likelihood
