#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "boxes.hpp"

namespace triptych::python {

Box box_of(nb::handle object, const char* argument) {
  double v[4];
  if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {  // without NumPy, for its time
    std::size_t count = 0;
    for (const nb::handle item : object) {
      if (count == 4 || !nb::try_cast(item, v[count])) {
        count = 0;
        break;
      }
      ++count;
    }
    require(count == 4, argument, ": expected 4 numbers: (x, y, width, height)");
  } else {
    const Array array = host_array<double>(object, argument);
    array.require_shape({4}, "4 numbers: (x, y, width, height)");
    std::copy_n(array.contiguous<double>(), 4, v);
  }
  require(std::all_of(v, v + 4, [](double number) { return std::isfinite(number); }), argument,
          ": every number must be finite");
  return {v[0], v[1], v[2], v[3]};
}

PixelBox pixel_box_of(nb::handle object, const char* argument) {
  const Box box = box_of(object, argument);
  for (const double number : {box.x, box.y, box.width, box.height})
    require(number == std::floor(number) && std::abs(number) < 1e9, argument, ": expected whole pixels, not ",
            number);
  return {static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.width),
          static_cast<int>(box.height)};
}

}  // namespace triptych::python
