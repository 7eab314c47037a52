// Synthetic faces.
#include <triptych/aam_fit/synthetic_face.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <type_traits>

#include "../compute.hpp"
#include "aam.hpp"

namespace triptych::python {

using aam_fit::FaceParameters;

namespace {

template <std::size_t n>
nb::object numbers(const std::array<double, n>& values) {
  return to_numpy(std::vector<double>(values.begin(), values.end()), {n});
}

template <std::size_t n>
std::array<double, n> numbers_of(nb::handle object, const char* argument) {
  std::array<double, n> values{};
  if (object.is_none()) return values;
  const Array array = host_array<double>(object, argument);
  array.require_shape({static_cast<std::int64_t>(n)}, (std::to_string(n) + " numbers").c_str());
  std::copy_n(array.contiguous<double>(), n, values.begin());
  return values;
}

template <std::size_t n>
std::string list_of(const std::array<double, n>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + text_of(values[i]);
  return text + "]";
}

nb::tuple state_of(const FaceParameters& f) {
  nb::object detail = nb::none();
  if (f.detail) detail = nb::bytes(&*f.detail, sizeof *f.detail);
  return nb::make_tuple(f.identity, f.expression, f.yaw, f.pitch, f.roll, f.x_px, f.y_px, f.size_px,
                        f.light_x, f.light_y, f.skin, f.contrast, f.noise, f.seed, detail);
}

std::optional<aam_fit::FaceDetail> detail_of(nb::handle state) {
  // Doubles alone: the bytes are all of its value.
  static_assert(std::is_trivially_copyable_v<aam_fit::FaceDetail> &&
                std::is_same_v<decltype(aam_fit::FaceDetail::hair_cover), double> &&
                sizeof(aam_fit::FaceDetail) % sizeof(double) == 0);
  if (state.is_none()) return {};
  const auto bytes = nb::cast<nb::bytes>(state);
  aam_fit::FaceDetail detail;
  require(bytes.size() == sizeof detail, "a pickled FaceParameters of another version of triptych");
  std::memcpy(&detail, bytes.c_str(), sizeof detail);
  return detail;
}

void bind_parameters(nb::module_& m) {
  const FaceParameters d;
  nb::class_<FaceParameters>(
      m, "FaceParameters",
      "What a synthetic face looks like, for render_face().\n\n"
      "identity: 8 numbers of about -1..1: widths, heights, spacing of eyes, nose, mouth, jaw. "
      "expression: 4: smile, open\nmouth, raised brows, closed eyes. yaw, pitch, roll: radians; "
      "the first two small. x_px, y_px: centre; size_px: face\nsize. light_x, light_y: from where, "
      "about -1..1. skin: brightness 0..1. noise: grey values. seed: of texture, noise,\n"
      "background.")
      .def(
          "__init__",
          [](FaceParameters* self, nb::handle identity, nb::handle expression, double yaw, double pitch,
             double roll, double x_px, double y_px, double size_px, double light_x, double light_y,
             double skin, double contrast, double noise, Whole<"seed", std::uint64_t> seed) {
            const auto shape = numbers_of<8>(identity, "identity");
            const auto mood = numbers_of<4>(expression, "expression");
            new (self) FaceParameters{shape,   mood,    yaw,  pitch,    roll,  x_px, y_px, size_px,
                                      light_x, light_y, skin, contrast, noise, seed, {}};
          },
          nb::kw_only(), nb::arg("identity") = nb::none(), nb::arg("expression") = nb::none(),
          nb::arg("yaw") = d.yaw, nb::arg("pitch") = d.pitch, nb::arg("roll") = d.roll,
          nb::arg("x_px") = d.x_px, nb::arg("y_px") = d.y_px, nb::arg("size_px") = d.size_px,
          nb::arg("light_x") = d.light_x, nb::arg("light_y") = d.light_y, nb::arg("skin") = d.skin,
          nb::arg("contrast") = d.contrast, nb::arg("noise") = d.noise, nb::arg("seed") = d.seed)
      .def_prop_ro(
          "identity", [](const FaceParameters& f) { return numbers(f.identity); },
          nb::sig("def identity(self) -> numpy.typing.NDArray[numpy.float64]"), "(8,) float64.")
      .def_prop_ro(
          "expression", [](const FaceParameters& f) { return numbers(f.expression); },
          nb::sig("def expression(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(4,): smile, open mouth, raised brows, closed eyes.")
      .def_ro("yaw", &FaceParameters::yaw, "Radians.")
      .def_ro("pitch", &FaceParameters::pitch, "Radians.")
      .def_ro("roll", &FaceParameters::roll, "Radians.")
      .def_ro("x_px", &FaceParameters::x_px, "Centre, pixels.")
      .def_ro("y_px", &FaceParameters::y_px, "Centre, pixels.")
      .def_ro("size_px", &FaceParameters::size_px, "Face size, pixels.")
      .def_ro("light_x", &FaceParameters::light_x, "From where the light comes, about -1..1.")
      .def_ro("light_y", &FaceParameters::light_y, "From where the light comes, about -1..1.")
      .def_ro("skin", &FaceParameters::skin, "Brightness, 0..1.")
      .def_ro("contrast", &FaceParameters::contrast, "Contrast.")
      .def_ro("noise", &FaceParameters::noise, "Noise, grey values.")
      .def_ro("seed", &FaceParameters::seed, "Of texture, noise and background.")
      .def(
          "__eq__",
          [](const FaceParameters& self, nb::handle other) {
            return nb::isinstance<FaceParameters>(other) &&
                   state_of(self).equal(state_of(nb::cast<const FaceParameters&>(other)));
          },
          nb::arg("other").none())
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](FaceParameters& self, const nb::tuple& s) {
             const auto number = [&](std::size_t i) { return nb::cast<double>(s[i]); };
             new (&self) FaceParameters{nb::cast<std::array<double, 8>>(s[0]),
                                        nb::cast<std::array<double, 4>>(s[1]),
                                        number(2),
                                        number(3),
                                        number(4),
                                        number(5),
                                        number(6),
                                        number(7),
                                        number(8),
                                        number(9),
                                        number(10),
                                        number(11),
                                        number(12),
                                        nb::cast<std::uint64_t>(s[13]),
                                        detail_of(s[14])};
           })
      .def("__repr__", [](const FaceParameters& f) {
        return "FaceParameters(identity=" + list_of(f.identity) + ", expression=" + list_of(f.expression) +
               ", yaw=" + text_of(f.yaw) + ", pitch=" + text_of(f.pitch) + ", roll=" + text_of(f.roll) +
               ", x_px=" + text_of(f.x_px) + ", y_px=" + text_of(f.y_px) + ", size_px=" + text_of(f.size_px) +
               ", light_x=" + text_of(f.light_x) + ", light_y=" + text_of(f.light_y) +
               ", skin=" + text_of(f.skin) + ", contrast=" + text_of(f.contrast) +
               ", noise=" + text_of(f.noise) + ", seed=" + std::to_string(f.seed) +
               (f.detail ? ", of varied_face())" : ")");
      });
}

}  // namespace

void bind_aam_synthetic(nb::module_& m) {
  bind_parameters(m);
  m.def(
      "random_face",
      [](Whole<"seed", std::uint64_t> seed, Whole<"number", std::int64_t> number) {
        return aam_fit::random_face(seed, number);
      },
      nb::arg("seed"), nb::arg("number"),
      "The face of a number in a seeded set, within an image of 256 x 256; a FaceParameters.");
  m.def(
      "varied_face",
      [](Whole<"seed", std::uint64_t> seed, Whole<"number", std::int64_t> number) {
        return aam_fit::varied_face(seed, number);
      },
      nb::arg("seed"), nb::arg("number"),
      "The face of a number in a seeded set that varies as photographs do: yaw up to 40 degrees, pitch up to "
      "25, "
      "light, hair,\nbeard, glasses, clutter, blur, compression; a FaceParameters.");
  m.def(
      "background_scene",
      [](Whole<"seed", std::uint64_t> seed, Whole<"number", std::int64_t> number, Whole<"width"> width,
         Whole<"height"> height) {
        return to_numpy(compute([&] { return aam_fit::background_scene(seed, number, width, height); }));
      },
      nb::arg("seed"), nb::arg("number"), nb::arg("width") = 256, nb::arg("height") = 256,
      nb::sig("def background_scene(seed: int, number: int, width: int = 256, height: int = 256) -> "
              "numpy.typing.NDArray[numpy.uint8]"),
      "A picture of anything but a face, (height, width): textures, grids, stripes, wheels and clutter.\n\n"
      "train() shows the face classifier those of seed 29.");
  m.def(
      "face_in_motion",
      [](Whole<"seed", std::uint64_t> seed, double seconds) {
        return aam_fit::face_in_motion(seed, seconds);
      },
      nb::arg("seed"), nb::arg("seconds"),
      "The face at a time of a video in which one seeded person moves, turns, speaks and blinks; a "
      "FaceParameters.");
  m.def(
      "_render_face",
      [](const FaceParameters& face, Whole<"width"> width, Whole<"height"> height) {
        aam_fit::Example example = compute([&] { return aam_fit::render_face(face, width, height); });
        return nb::make_tuple(to_numpy(std::move(example.image)), to_numpy(example.landmarks));
      },
      nb::arg("face"), nb::arg("width"), nb::arg("height"),
      nb::sig("def _render_face(face: FaceParameters, width: int, height: int) -> "
              "tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.float64]]"),
      "See triptych.aam.render_face().");
  m.def("mirror_of_68", &aam_fit::mirror_of_68, "The landmark that each of the 68 becomes in a mirror.");
}

}  // namespace triptych::python
