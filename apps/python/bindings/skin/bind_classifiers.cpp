// LinearFilter, HistogramRatio, and the files of classifiers.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "../compute.hpp"
#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

void bind_linear(nb::module_& m) {
  auto type = nb::class_<LinearFilter>(
      m, "LinearFilter",
      "A plane in colour space: the weight of a pixel is clamp(r R + g G + b B + d, 0, 1), R, G, B from 0 to "
      "255.\n\n>>> LinearFilter(0.022, -0.016, -0.007, -0.35).r\n0.022");
  bind_values(type, "LinearFilter", Field{"r", &LinearFilter::r, "The factor of red."},
              Field{"g", &LinearFilter::g, "The factor of green."},
              Field{"b", &LinearFilter::b, "The factor of blue."},
              Field{"d", &LinearFilter::d, "The offset."});
  type.def(
          "__init__",
          [](LinearFilter* self, double r, double g, double b, double d) {
            require(std::isfinite(r) && std::isfinite(g) && std::isfinite(b) && std::isfinite(d),
                    "r, g, b, d: every number must be finite");
            new (self) LinearFilter{r, g, b, d};
          },
          nb::arg("r") = 0.0, nb::arg("g") = 0.0, nb::arg("b") = 0.0, nb::arg("d") = 0.0)
      .def(
          "__str__", [](const LinearFilter& self) { return to_string(self); },
          "\"R,G,B,D\", as parse_filter() reads it.")
      .def(
          "__array__",
          [](const LinearFilter& self, nb::handle dtype, nb::handle) {
            const nb::object array = to_numpy(std::vector<double>{self.r, self.g, self.b, self.d}, {4});
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) "
              "-> numpy.ndarray"),
          "(4,) float64: r, g, b, d.");
}

void bind_histogram(nb::module_& m) {
  auto type = nb::class_<HistogramRatio>(
      m, "HistogramRatio",
      "For each cell of a grid over RGB the share of skin among its training pixels: the weight of its "
      "colours.");
  const auto make = [](HistogramRatio* self, nb::handle share) {
    const Array array = host_array<float>(share, "share");
    const std::int64_t cells = array.ndim() == 3 ? array.shape(0) : 0;
    require(cells >= 2 && cells <= 256 && std::has_single_bit(static_cast<std::uint64_t>(cells)) &&
                array.shape(1) == cells && array.shape(2) == cells,
            "share: expected a grid of 2, 4, ... or 256 cells on each of the axes red, green and blue, not ",
            array.describe());
    const float* const first = array.contiguous<float>();
    std::vector<float> values(first, first + array.size());
    require(std::all_of(values.begin(), values.end(), [](float v) { return v >= 0 && v <= 1; }),
            "share: every share must be from 0 to 1");
    new (self) HistogramRatio{std::countr_zero(static_cast<std::uint64_t>(cells)), std::move(values)};
  };
  const auto view = [](const nb::object& object) {
    const auto& self = nb::cast<const HistogramRatio&>(object);
    const std::size_t cells = std::size_t{1} << self.bits;
    return nb::cast(nb::ndarray<nb::numpy, const float>(self.share.data(), {cells, cells, cells}, object));
  };
  type.def("__init__", make, nb::arg("share").none(),
           nb::sig("def __init__(self, share: numpy.typing.ArrayLike) -> None"),
           "share: (n, n, n) float32 over red, green and blue, n = 2 ** bits; every share is from 0 to 1.")
      .def_ro("bits", &HistogramRatio::bits, "Of each channel: (2 ** bits) ** 3 cells.")
      .def_prop_ro(
          "share", [view](const nb::object& self) { return view(self); },
          nb::sig("def share(self) -> numpy.ndarray"),
          "(n, n, n) float32 over red, green and blue, n = 2 ** bits; a read-only view.")
      .def(
          "__array__",
          [view](const nb::object& self, nb::handle dtype, nb::handle) {
            const nb::object array = view(self);
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) "
              "-> numpy.ndarray"))
      .def("__getstate__", [view](const nb::object& self) { return nb::make_tuple(view(self)); })
      .def("__setstate__", [make](HistogramRatio& self, const nb::tuple& state) { make(&self, state[0]); })
      .def("__repr__", [](const HistogramRatio& self) {
        return "HistogramRatio(bits=" + std::to_string(self.bits) + ")";
      });
  bind_equal(type, [](const HistogramRatio& a, const HistogramRatio& b) {
    return a.bits == b.bits && a.share == b.share;
  });
  type.attr("__hash__") = nb::none();
}

}  // namespace

Classifier classifier_of(nb::handle object, const char* argument) {
  if (nb::isinstance<LinearFilter>(object)) return nb::cast<const LinearFilter&>(object);
  if (nb::isinstance<FaceCalibration>(object))
    return nb::cast<const FaceCalibration&>(object).calibration.filter;
  if (nb::isinstance<HistogramRatio>(object)) return nb::cast<const HistogramRatio&>(object);
  if (nb::isinstance<GaussianPair>(object)) return nb::cast<const GaussianPair&>(object);
  if (nb::isinstance<ChrominanceEllipse>(object)) return nb::cast<const ChrominanceEllipse&>(object);
  throw InvalidArgument(std::string(argument) +
                        ": expected a LinearFilter, GaussianPair, ChrominanceEllipse, HistogramRatio or "
                        "Calibration, not a " +
                        type_text(object));
}

void bind_classifiers(nb::module_& m) {
  bind_linear(m);
  bind_gaussian(m);
  bind_ellipse(m);
  bind_histogram(m);
  m.attr("Classifier") = nb::module_::import_("typing").attr(
      "Union")[nb::make_tuple(m.attr("LinearFilter"), m.attr("GaussianPair"), m.attr("ChrominanceEllipse"),
                              m.attr("HistogramRatio"))];
  m.attr("generic_skin_filter") = generic_skin_filter;
  m.def("parse_filter", &parse_filter, nb::arg("text"),
        "The LinearFilter of \"R,G,B,D\"; str(filter) is the inverse. InvalidArgument for any other text.");
  m.def(
      "name_of",
      [](nb::handle classifier) { return std::string(name_of(classifier_of(classifier, "classifier"))); },
      nb::arg("classifier").none(), nb::sig("def name_of(classifier: Classifier) -> str"),
      "The name under which train_classifier() trains such a classifier.");
  m.def(
      "save_classifier",
      [](const std::filesystem::path& file, nb::handle classifier) {
        const Classifier value = classifier_of(classifier, "classifier");
        compute([&] { save_classifier(file, value); });
      },
      nb::arg("file"), nb::arg("classifier").none(),
      nb::sig("def save_classifier(file: str | os.PathLike, classifier: Classifier | Calibration) -> None"),
      "Writes a JSON file; the cells of a histogram go to <file>.table beside it. Each file is written "
      "atomically.\nError when a file cannot be written.");
  m.def(
      "load_classifier",
      [](const std::filesystem::path& file) { return compute([&] { return load_classifier(file); }); },
      nb::arg("file"), nb::sig("def load_classifier(file: str | os.PathLike) -> Classifier"),
      "The classifier of a file. ParseError, which names the file and what is wrong with it.");
}

}  // namespace triptych::python
