// What is sampled: one or several planes of floats of the same size (grey values, or features of them).
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/image_view.hpp>

#include <cstdint>
#include <vector>

namespace triptych::aam_fit {

// Planes lie one below the other in one image: row y of plane c is row c * height() + y of `stacked`.
template <class View>
struct BasicPlanes {
  View stacked;
  int channels = 1;
  TRIPTYCH_HD std::int64_t width() const { return stacked.width(); }
  TRIPTYCH_HD std::int64_t height() const { return stacked.height() / channels; }
};
using PlanesView = BasicPlanes<ImageView<const float>>;
using DevicePlanesView = BasicPlanes<DeviceImageView<const float>>;

// Owning, on the host.
struct Planes {
  int width = 0, height = 0, channels = 0;
  std::vector<float> values;
  static constexpr std::int64_t max_values = (std::int64_t{1} << 31) - 1;
  Planes() = default;
  // All values are 0. InvalidArgument when a size is negative or there are 2^31 values or more.
  Planes(int w, int h, int c) : width(w), height(h), channels(c) {
    require(w >= 0 && h >= 0 && c >= 0 && (h == 0 || c == 0 || w <= max_values / h / c), "planes cannot be ",
            w, " x ", h, " pixels with ", c, " channels");
    values.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * static_cast<std::size_t>(c));
  }
  ImageView<float> plane(int c) {
    return {values.data() + static_cast<std::ptrdiff_t>(c) * width * height, width, height};
  }
  PlanesView view() const {
    return {ImageView<const float>(values.data(), width, static_cast<std::int64_t>(height) * channels),
            channels};
  }
};

}  // namespace triptych::aam_fit
