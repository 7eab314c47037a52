// Estimates against what the input knows better.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "input.hpp"

namespace triptych::capsule_demo {

class Comparison {
 public:
  // Error when the skeleton has none of the reference's joints.
  Comparison(const Reference& reference, const capsule_likelihood::Skeleton& skeleton);

  const Reference& reference() const { return reference_; }
  // Where the reference's joints are in a posed skeleton; NaN for those it does not have.
  std::vector<capsule_likelihood::Vec3> positions(std::span<const capsule_likelihood::Vec3> joints) const;
  // The distances in mm; NaN where either is not known.
  std::vector<double> errors_mm(std::span<const capsule_likelihood::Vec3> joints,
                                std::span<const capsule_likelihood::Vec3> truth) const;

 private:
  Reference reference_;
  const capsule_likelihood::Skeleton& skeleton_;
  std::vector<int> joint_of_;  // by name, -1: none; empty: as the sensor's joints lie in the built-in person
};

}  // namespace triptych::capsule_demo
