// Boxes as four numbers: (x, y, width, height), in pixels.
#pragma once

#include <triptych/core/box.hpp>

#include <nanobind/nanobind.h>

namespace triptych::python {

namespace nb = nanobind;

// InvalidArgument, which begins with the argument's name, unless they are four finite numbers; for a
// PixelBox, integers.
Box box_of(nb::handle object, const char* argument);
PixelBox pixel_box_of(nb::handle object, const char* argument);

}  // namespace triptych::python
