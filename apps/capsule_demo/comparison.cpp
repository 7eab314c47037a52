#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "comparison.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;

Comparison::Comparison(const Reference& reference, const Skeleton& skeleton)
    : reference_(reference), skeleton_(skeleton) {
  int known = 0;
  for (const std::string& name : reference.names) {
    joint_of_.push_back(skeleton.find(name));
    known += int{joint_of_.back() >= 0};
  }
  if (known == static_cast<int>(reference.names.size())) return;
  try {
    const std::vector<Vec3> anywhere(static_cast<std::size_t>(skeleton.joint_count()));
    positions_of(skeleton, anywhere, reference.names);
    joint_of_.clear();
  } catch (const InvalidArgument&) {
    if (known == 0) {
      throw Error("the skeleton has none of the joints that it is to be compared with, such as '" +
                  (reference.names.empty() ? std::string() : reference.names.front()) +
                  "': leave out --truth, or --skeleton");
    }
  }
}

std::vector<Vec3> Comparison::positions(std::span<const Vec3> joints) const {
  if (joint_of_.empty()) return positions_of(skeleton_, joints, reference_.names);
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  std::vector<Vec3> all;
  for (const int joint : joint_of_)
    all.push_back(joint >= 0 ? joints[static_cast<std::size_t>(joint)] : Vec3{unknown, unknown, unknown});
  return all;
}

std::vector<double> Comparison::errors_mm(std::span<const Vec3> joints, std::span<const Vec3> truth) const {
  const std::vector<Vec3> found = positions(joints);
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.size(); ++i) {
    errors.push_back(1000.0 * std::hypot(double{found[i].x} - truth[i].x, double{found[i].y} - truth[i].y,
                                         double{found[i].z} - truth[i].z));
  }
  return errors;
}

}  // namespace triptych::capsule_demo
