// What a filter shares with other ranks: the exchange, its share of the samples, its cameras.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/exchange.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

class FilterShare {
 public:
  // Of options that name an exchange or cameras. InvalidArgument when a camera is none, or all ranks together
  // could have more than max_rays points.
  explicit FilterShare(const FilterOptions& options);
  static bool is_wanted(const FilterOptions& options) {
    return options.exchange != nullptr || !options.cameras.empty();
  }

  Exchange& exchange() const { return *exchange_; }
  bool splits_samples() const { return split_ == FilterSplit::samples; }
  // camera_from_world, at least one.
  std::span<const RigidTransform> cameras() const { return cameras_; }
  // Whether all ranks have the cloud of one camera, whose frame is the world's.
  bool has_one_cloud() const {
    return splits_samples() && cameras_.size() == 1 && cameras_.front() == RigidTransform{};
  }
  // The rows of the samples that this rank weighs.
  std::int32_t first_sample() const { return first_; }
  std::int32_t sample_count() const { return count_; }

  // Collective, before each frame: Error on all ranks when one of them has failed, or when they are at
  // different frames. failure: this rank's own.
  struct Frame {
    std::int64_t number = 0, points = 0, sigmas = 0;
  };
  // Returns the frame of rank 0.
  Frame begin_frame(const Frame& own, const std::exception_ptr& failure) const;

  // Collective, after a part of the work of a frame that every rank has tried: sums values, whose last entry
  // tells how many ranks have failed. Throws on all ranks when one has.
  void sum_or_fail(std::span<std::int64_t> values, const std::exception_ptr& failure) const;

 private:
  [[noreturn]] void throw_failure(const std::exception_ptr& failure) const;

  std::shared_ptr<Exchange> exchange_;
  FilterSplit split_;
  std::vector<RigidTransform> cameras_;
  std::int32_t first_ = 0, count_ = 0;
};

// The cloud of rank 0, received by all.
struct SharedCloud {
  std::vector<Vec3> points;
  std::vector<float> sigma_m;

  CloudView receive(Exchange& exchange, const CloudView& own, const FilterShare::Frame& frame);
};

// What all ranks of a filter must have in common, as bytes: the version, the skeleton and the options.
std::vector<std::byte> fingerprint_of(const Skeleton& skeleton, const FilterOptions& options);

}  // namespace triptych::capsule_likelihood
