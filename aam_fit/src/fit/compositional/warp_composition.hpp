// A level's shape model as warps of the reference frame: how landmarks move with its parameters, and the
// composition of the warp so far with the inverse of a small one.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <array>
#include <span>
#include <vector>

namespace triptych::aam_fit {

class WarpComposition {
 public:
  // InvalidArgument when the level has no shape modes of its own (Level::Ps).
  explicit WarpComposition(const Level& level);

  // Scale, rotation, shift along x and y, then the shape modes.
  int parameter_count() const { return 4 + static_cast<int>(limit_.size()); }
  // How far a parameter moves each landmark: x and y of one after the other, in pixels of the planes.
  std::span<const double> basis(int parameter) const {
    return {basis_.data() + static_cast<std::size_t>(parameter) * 2 * mean_.size(), 2 * mean_.size()};
  }

  // The nearest shape of the model, its modes within three standard deviations.
  Shape to_model(std::span<const Point> shape) const;
  // The warp to `shape` after the inverse of the small one by dp, back in the model.
  Shape compose(std::span<const Point> shape, std::span<const double> dp) const;

 private:
  Shape mean_;
  std::vector<double> basis_;  // parameters x 2 landmarks
  std::vector<double> limit_;  // of each shape mode
  // The triangles at each landmark, as their other corners too: indices into mean_.
  std::vector<std::vector<std::array<int, 3>>> around_;
};

}  // namespace triptych::aam_fit
