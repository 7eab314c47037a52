// Axis-parallel boxes in an image.
#pragma once

namespace triptych {

// The points [x, x + width) x [y, y + height), in pixels; pixel centres lie at integers, y goes down.
template <class T>
struct BasicBox {
  T x = 0, y = 0, width = 0, height = 0;

  constexpr bool empty() const { return !(width > 0 && height > 0); }
  friend bool operator==(const BasicBox&, const BasicBox&) = default;
};

using Box = BasicBox<double>;    // with subpixel precision, such as a face or a head
using PixelBox = BasicBox<int>;  // of whole pixels

// The intersection of box and an image of width x height pixels; 0 x 0 at (0, 0) when it is empty.
PixelBox clip(const PixelBox& box, int width, int height);

}  // namespace triptych
