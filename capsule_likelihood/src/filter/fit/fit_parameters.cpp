#include <limits>
#include <utility>

#include "body/rotation.hpp"
#include "filter/fit/fit_parameters.hpp"

namespace triptych::capsule_likelihood {

FitParameters::FitParameters(const Skeleton& skeleton) {
  constexpr float endless = std::numeric_limits<float>::infinity();
  for (std::size_t j = 0; j < skeleton.joints().size(); ++j) {
    const Joint& joint = skeleton.joints()[j];
    std::vector<std::size_t> of_joint = {0, 1, 2, 3, 4, 5};
    if (j > 0) {
      of_joint = moves[static_cast<std::size_t>(joint.parent)];
      const auto first = static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(j)));
      for (std::size_t r = 0; r < joint.rotations.size(); ++r) {
        const Rotation& rotation = joint.rotations[r];
        if (rotation.lower_rad == rotation.upper_rad) continue;
        of_joint.push_back(count());
        angles.push_back(first + r);
        const bool is_free = detail::turns_freely(rotation);
        lower.push_back(is_free ? -endless : rotation.lower_rad);
        upper.push_back(is_free ? endless : rotation.upper_rad);
      }
    }
    moves.push_back(std::move(of_joint));
  }
}

}  // namespace triptych::capsule_likelihood
