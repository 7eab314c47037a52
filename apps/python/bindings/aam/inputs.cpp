#include <cmath>

#include "../boxes.hpp"
#include "aam.hpp"

namespace triptych::python {

using aam_fit::Point;
using aam_fit::Shape;
using aam_fit::Triangle;

namespace {

bool is_list(nb::handle object) {
  return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object);
}

std::string item_name(const char* argument, std::size_t i) {
  return std::string(argument) + "[" + std::to_string(i) + "]";
}

const double* finite_numbers(const Array& array) {
  const double* const values = array.contiguous<double>();
  for (std::int64_t i = 0; i < array.size(); ++i)
    require(std::isfinite(values[i]), array.argument(), ": the number at index ", i, " (in C order) is ",
            values[i], ", which is not finite");
  return values;
}

Shape shape_at(const double* values, std::size_t points) {
  Shape shape(points);
  for (std::size_t i = 0; i < points; ++i) shape[i] = {values[2 * i], values[2 * i + 1]};
  return shape;
}

void require_box(const Box& box, const char* argument) {
  require(
      std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.width) && std::isfinite(box.height),
      argument, ": the numbers of a box are finite, not (", box.x, ", ", box.y, ", ", box.width, ", ",
      box.height, ")");
  require(!box.empty(), argument, ": a box of ", box.width, " x ", box.height, " pixels at (", box.x, ", ",
          box.y, ") is empty");
}

void require_rows(const Array& array, int row_axis) {
  const std::int64_t height = array.shape(row_axis), width = array.shape(row_axis + 1);
  require(height > 0 && width > 0, array.argument(), ": an image of ", width, " x ", height,
          " pixels is empty");
  require(width == 1 || array.stride(row_axis + 1) == 1, array.argument(),
          ": the pixels of a row must be contiguous; see numpy.ascontiguousarray or .contiguous()");
  require(height == 1 || array.stride(row_axis) >= width, array.argument(),
          ": rows must follow each other in memory without overlap; see numpy.ascontiguousarray");
}

template <class View>
View view_of(const Array& array, std::int64_t slice) {
  const int rows = slice < 0 ? 0 : 1;
  require_rows(array, rows);
  const auto* const first =
      static_cast<const Grey8*>(array.data()) + (slice > 0 ? slice * array.stride(0) : 0);
  const std::int64_t height = array.shape(rows), width = array.shape(rows + 1);
  return View(first, width, height, height == 1 ? width : array.stride(rows));
}

}  // namespace

Shape shape_of(nb::handle object, const char* argument) {
  const Array array = host_array<double>(object, argument);
  array.require_shape({-1, 2}, "the points of a shape, of shape (n, 2)");
  return shape_at(finite_numbers(array), static_cast<std::size_t>(array.shape(0)));
}

std::vector<Shape> shapes_of(nb::handle object, const char* argument) {
  std::vector<Shape> shapes;
  if (is_list(object)) {
    for (const nb::handle item : object)
      shapes.push_back(shape_of(item, item_name(argument, shapes.size()).c_str()));
    return shapes;
  }
  const Array array = host_array<double>(object, argument);
  array.require_shape({-1, -1, 2}, "shapes, of shape (k, n, 2)");
  const double* const values = finite_numbers(array);
  const auto points = static_cast<std::size_t>(array.shape(1));
  for (std::int64_t i = 0; i < array.shape(0); ++i)
    shapes.push_back(shape_at(values + i * 2 * array.shape(1), points));
  return shapes;
}

Box face_box_of(nb::handle object, const char* argument) {
  const Box box = box_of(object, argument);
  require_box(box, argument);
  return box;
}

std::vector<Box> boxes_of(nb::handle object, const char* argument) {
  std::vector<Box> boxes;
  if (is_list(object)) {
    for (const nb::handle item : object)
      boxes.push_back(face_box_of(item, item_name(argument, boxes.size()).c_str()));
    return boxes;
  }
  const Array array = host_array<double>(object, argument);
  array.require_shape({-1, 4}, "boxes, of shape (k, 4)");
  const double* const values = array.contiguous<double>();
  for (std::int64_t i = 0; i < array.shape(0); ++i) {
    const double* const at = values + 4 * i;
    boxes.push_back({at[0], at[1], at[2], at[3]});
    require_box(boxes.back(), item_name(argument, boxes.size() - 1).c_str());
  }
  return boxes;
}

std::vector<float> floats_of(nb::handle object, const char* argument) {
  const Array array = host_array<float>(object, argument);
  array.require_shape({-1}, "numbers, of shape (n,)");
  const float* const values = array.contiguous<float>();
  for (std::int64_t i = 0; i < array.size(); ++i)
    require(std::isfinite(values[i]), argument, ": the number at index ", i, " is not finite");
  return std::vector<float>(values, values + array.size());
}

std::vector<Triangle> triangles_of(nb::handle object, const char* argument) {
  if (object.is_none()) return {};
  const Array array = host_array<double>(object, argument);
  array.require_shape({-1, 3}, "triangles, three indices of points each, of shape (t, 3)");
  const double* const values = array.contiguous<double>();
  const auto index = [&](double value) {
    require(value >= 0 && value < 65536 && value == std::floor(value), argument, ": ", value,
            " is not the index of a point");
    return static_cast<int>(value);
  };
  std::vector<Triangle> triangles;
  for (std::int64_t i = 0; i < array.shape(0); ++i)
    triangles.push_back({index(values[3 * i]), index(values[3 * i + 1]), index(values[3 * i + 2])});
  return triangles;
}

void require_grey(const Array& array) {
  if (array.is<std::uint8_t>() && array.ndim() == 2) return;
  require(false, array.argument(), ": expected a grey image, uint8 of shape (height, width), not ",
          array.describe(),
          array.ndim() == 3
              ? "; convert colour to grey first, for example with cv2.cvtColor or PIL's convert(\"L\")"
              : "");
}

ImageView<const Grey8> host_image(const Array& array) {
  require_grey(array);
  array.require_on_host();
  return view_of<ImageView<const Grey8>>(array, -1);
}

DeviceImageView<const Grey8> device_image(const Array& array) {
  require_grey(array);
  return view_of<DeviceImageView<const Grey8>>(array, -1);
}

bool is_array(nb::handle object) {
  for (const char* const name :
       {"__array_interface__", "__dlpack__", "__cuda_array_interface__", "__array__"})
    if (nb::hasattr(object, name)) return true;
  return false;
}

ImageList images_of(nb::handle object, const char* argument, nb::handle stream) {
  ImageList images;
  if (!is_array(object)) {
    require(nb::isinstance<nb::sequence>(object), argument, ": expected images, not a ", type_text(object));
    for (const nb::handle item : nb::borrow<nb::sequence>(object)) {
      images.arrays.emplace_back(item, item_name(argument, images.arrays.size()).c_str(), stream);
      require_grey(images.arrays.back());
      images.slices.push_back(-1);
    }
    return images;
  }
  const Array& array = images.arrays.emplace_back(object, argument, stream);
  if (array.ndim() == 3 && array.shape(2) > 4 && array.is<std::uint8_t>()) {
    for (std::int64_t i = 0; i < array.shape(0); ++i) images.slices.push_back(i);
    require(array.shape(0) <= 1 || array.stride(0) >= 0, argument,
            ": images must follow each other in memory");
    return images;
  }
  require_grey(array);
  images.slices.push_back(-1);
  return images;
}

ImageView<const Grey8> ImageList::host(std::size_t i) const {
  array(i).require_on_host();
  return view_of<ImageView<const Grey8>>(array(i), slices[i]);
}
DeviceImageView<const Grey8> ImageList::device(std::size_t i) const {
  return view_of<DeviceImageView<const Grey8>>(array(i), slices[i]);
}

nb::object to_numpy(std::span<const Point> shape) {
  return to_numpy_of<double>(shape.data(), shape.size(), {shape.size(), 2});
}

nb::object to_numpy(std::span<const Shape> shapes, std::size_t points) {
  std::vector<double> values;
  values.reserve(2 * points * shapes.size());
  for (const Shape& shape : shapes)
    for (const Point p : shape) values.insert(values.end(), {p.x, p.y});
  return to_numpy(std::move(values), {shapes.size(), points, 2});
}

nb::object to_numpy(std::span<const Triangle> triangles) {
  return to_numpy_of<int>(triangles.data(), triangles.size(), {triangles.size(), 3});
}

nb::object to_numpy(Image<Grey8> image) {
  auto* const kept = new Image<Grey8>(std::move(image));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Image<Grey8>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(
      kept->pixels.data(), {static_cast<std::size_t>(kept->height), static_cast<std::size_t>(kept->width)},
      owner));
}

nb::tuple to_tuple(const Box& box) { return nb::make_tuple(box.x, box.y, box.width, box.height); }

aam_fit::Progress progress_of(nb::handle callable) {
  if (callable.is_none()) return {};
  require(nb::isinstance<nb::callable>(callable), "progress: a ", type_text(callable), " cannot be called");
  return [callable](const std::string& stage, std::int64_t done, std::int64_t total) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    callable(stage, done, total);
  };
}

}  // namespace triptych::python
