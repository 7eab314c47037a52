// What the bindings of triptych.aam share: shapes, boxes and images as arguments and results, and names.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/box.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/image.hpp>
#include <triptych/core/image_view.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../arrays.hpp"
#include "../naming.hpp"

namespace triptych::python {

// Arguments: InvalidArgument, which begins with the argument's name, when they are something else.
aam_fit::Shape shape_of(nb::handle object, const char* argument);                // (n, 2) finite numbers
std::vector<aam_fit::Shape> shapes_of(nb::handle object, const char* argument);  // (k, n, 2), or k of (n, 2)
Box face_box_of(nb::handle object, const char* argument);               // (x, y, width, height), not empty
std::vector<Box> boxes_of(nb::handle object, const char* argument);     // (k, 4), or a sequence of boxes
std::vector<float> floats_of(nb::handle object, const char* argument);  // (n,) finite numbers
std::vector<aam_fit::Triangle> triangles_of(nb::handle object, const char* argument);  // (t, 3)

// Grey images, uint8 of shape (height, width), whose rows may lie apart. A view is valid while its array
// lives.
void require_grey(const Array& array);
ImageView<const Grey8> host_image(const Array& array);
DeviceImageView<const Grey8> device_image(const Array& array);
// A list of images, or the images of an array (k, height, width). keep: what must live as long as the views.
struct ImageList {
  std::vector<Array> arrays;
  std::vector<std::int64_t> slices;  // of the array: -1 for all of it
  std::size_t size() const { return slices.size(); }
  ImageView<const Grey8> host(std::size_t i) const;
  DeviceImageView<const Grey8> device(std::size_t i) const;
  const Array& array(std::size_t i) const { return arrays[arrays.size() == 1 ? 0 : i]; }
};
ImageList images_of(nb::handle object, const char* argument, nb::handle stream = nb::none());
bool is_array(nb::handle object);

// Results.
nb::object to_numpy(std::span<const aam_fit::Point> shape);                       // (n, 2) float64
nb::object to_numpy(std::span<const aam_fit::Shape> shapes, std::size_t points);  // (k, n, 2)
nb::object to_numpy(std::span<const aam_fit::Triangle> triangles);                // (t, 3) int32
nb::object to_numpy(Image<Grey8> image);                                          // (height, width) uint8
nb::tuple to_tuple(const Box& box);

// The value of a name, in the order of the enumeration: InvalidArgument, which lists the names, for others.
template <class Enum, std::size_t n>
Enum value_of(const char* argument, std::string_view name, const std::string_view (&names)[n]) {
  std::string list;
  for (std::size_t i = 0; i < n; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
    list += i == 0 ? "" : i + 1 == n ? " and " : ", ";
    list += names[i];
  }
  throw InvalidArgument(std::string(argument) + ": '" + std::string(name) + "' is none of " + list);
}
inline constexpr std::string_view parameters_names[] = {"combined", "independent", "shape"};
inline constexpr std::string_view update_names[] = {"displaced", "regression"};
inline constexpr std::string_view normalisation_names[] = {"projection", "length", "floored"};
inline constexpr std::string_view algorithm_names[] = {"regression", "project_out", "simultaneous"};
inline constexpr std::string_view form_names[] = {"paper", "one_pass"};
inline constexpr std::string_view storage_names[] = {"float32", "float16"};

// Options that are given as an object or as a dict of its keywords.
aam_fit::Features features_of(nb::handle object, const char* argument);  // or the name of a kind
std::vector<aam_fit::LevelOptions> levels_of(nb::handle object);
aam_fit::Displacements displacements_of(nb::handle object);

// A progress callable of Python as a function that takes the GIL; empty for None. Ctrl-C ends it as well.
aam_fit::Progress progress_of(nb::handle callable);

void bind_aam_options(nb::module_& m);
void bind_aam_model(nb::module_& m);
void bind_aam_train(nb::module_& m);
void bind_aam_fit(nb::module_& m);
void bind_aam_fitter(nb::module_& m);
void bind_aam_tracker(nb::module_& m);
void bind_aam_shape(nb::module_& m);
void bind_aam_files(nb::module_& m);
void bind_aam_pose(nb::module_& m);
void bind_aam_synthetic(nb::module_& m);

}  // namespace triptych::python
