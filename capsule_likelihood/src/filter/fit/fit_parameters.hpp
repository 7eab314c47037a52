// The parameters of a fit: the root's position (3), its rotation about x, y, z (3), then the free angles.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

struct FitParameters {
  static constexpr std::size_t of_position = 3, of_root = 6;

  explicit FitParameters(const Skeleton& skeleton);

  std::size_t count() const { return of_root + angles.size(); }
  // The parameters of a joint's own, the last ones of moves[joint].
  std::size_t own(const Skeleton& skeleton, std::size_t joint) const {
    return joint == 0 ? of_root
                      : moves[joint].size() -
                            moves[static_cast<std::size_t>(skeleton.joints()[joint].parent)].size();
  }

  // Of each joint: the parameters that move it, ascending. Those of the joints before it come first.
  std::vector<std::vector<std::size_t>> moves;
  // Of each parameter from the seventh on: its index in a pose, and its limits; infinite when it turns
  // freely.
  std::vector<std::size_t> angles;
  std::vector<float> lower, upper;
};

}  // namespace triptych::capsule_likelihood
