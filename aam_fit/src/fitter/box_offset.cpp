#include <triptych/aam_fit/box_offset.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace triptych::aam_fit {

namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

BoxOffset calibrate_box_offset(std::span<const Box> boxes, std::span<const Shape> shapes) {
  require(!boxes.empty(), "boxes: an offset cannot be calibrated from none");
  require(boxes.size() == shapes.size(), "boxes: there are ", boxes.size(), " for ", shapes.size(),
          " shapes");
  std::vector<double> x(boxes.size()), y(boxes.size()), scale(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    require(std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.width) &&
                std::isfinite(box.height) && box.width > 0 && box.height > 0,
            "boxes: number ", i, " of ", box.width, " x ", box.height, " pixels at (", box.x, ", ", box.y,
            ") is empty");
    const Box face = bounds(shapes[i]);
    require(std::isfinite(face.x + face.y + face.width + face.height) && face.width > 0 && face.height > 0,
            "shapes: number ", i, " has no area");
    x[i] = (face.x + face.width / 2 - box.x - box.width / 2) / box.width;
    y[i] = (face.y + face.height / 2 - box.y - box.height / 2) / box.height;
    scale[i] = std::sqrt(face.width * face.height / (box.width * box.height));
  }
  return {median_of(std::move(x)), median_of(std::move(y)), median_of(std::move(scale))};
}

Shape start_in_box(const Model& model, const Box& box, const BoxOffset& offset, std::int64_t frame_width,
                   std::int64_t frame_height) {
  require(std::isfinite(offset.shift_x) && std::isfinite(offset.shift_y) && std::isfinite(offset.scale) &&
              offset.scale > 0,
          "offset: a shift of (", offset.shift_x, ", ", offset.shift_y, ") and a scale of ", offset.scale,
          " cannot be applied");
  start_in_box(model, box, frame_width, frame_height);  // checks the box
  const double side = offset.scale * std::sqrt(box.width * box.height);
  return place_in_box(model.mean, {box.x + box.width * (0.5 + offset.shift_x) - side / 2,
                                   box.y + box.height * (0.5 + offset.shift_y) - side / 2, side, side});
}

}  // namespace triptych::aam_fit
