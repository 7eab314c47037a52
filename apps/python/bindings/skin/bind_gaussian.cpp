// GaussianPair and ChrominanceEllipse.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

struct SpaceName {
  ColourSpace space;
  const char* name;
};
constexpr SpaceName spaces[] = {{ColourSpace::rgb, "rgb"},
                                {ColourSpace::crcb, "crcb"},
                                {ColourSpace::rg, "rg"},
                                {ColourSpace::hsv, "hsv"}};

const char* name_of_space(ColourSpace space) {
  return std::find_if(std::begin(spaces), std::end(spaces),
                      [&](const SpaceName& s) { return s.space == space; })
      ->name;
}

ColourSpace parse_space(std::string_view name) {
  for (const SpaceName& s : spaces)
    if (s.name == name) return s.space;
  throw InvalidArgument("space: '" + std::string(name) + "' is none of rgb, crcb, rg and hsv");
}

// n finite numbers of any array or sequence, in C order.
template <std::size_t n>
std::array<double, n> numbers_of(nb::handle object, const char* argument, const char* what) {
  const Array array = host_array<double>(object, argument);
  require(array.size() == static_cast<std::int64_t>(n), argument, ": expected ", what, ", not ",
          array.describe());
  std::array<double, n> numbers{};
  std::copy_n(array.contiguous<double>(), n, numbers.begin());
  require(std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); }), argument,
          ": every number must be finite");
  return numbers;
}

template <std::size_t n>
nb::object numpy_of(const std::array<double, n>& numbers, std::initializer_list<std::size_t> shape) {
  return to_numpy(std::vector<double>(numbers.begin(), numbers.end()), shape);
}

}  // namespace

void bind_gaussian(nb::module_& m) {
  using Normal = GaussianPair::Normal;
  auto pair = nb::class_<GaussianPair>(
      m, "GaussianPair",
      "Normal distributions of skin and of other colours; the weight is the posterior probability of skin.");
  auto normal = nb::class_<Normal>(pair, "Normal", "One of the two distributions.");
  normal
      .def(
          "__init__",
          [](Normal* self, nb::handle mean, nb::handle precision, double log_scale) {
            require(std::isfinite(log_scale), "log_scale: the number must be finite");
            new (self) Normal{numbers_of<3>(mean, "mean", "3 numbers"),
                              numbers_of<9>(precision, "precision", "a matrix of 3 x 3"), log_scale};
          },
          nb::arg("mean").none(), nb::arg("precision").none(), nb::arg("log_scale"),
          nb::sig("def __init__(self, mean: numpy.typing.ArrayLike, precision: numpy.typing.ArrayLike, "
                  "log_scale: float) -> None"))
      .def_prop_ro(
          "mean", [](const Normal& self) { return numpy_of(self.mean, {3}); },
          nb::sig("def mean(self) -> numpy.ndarray"), "(3,) float64; unused axes are 0.")
      .def_prop_ro(
          "precision",
          [](const Normal& self) {
            return numpy_of(self.precision, {3, 3});
          },
          nb::sig("def precision(self) -> numpy.ndarray"),
          "(3, 3) float64: the inverse covariance; unused rows are 0.")
      .def_ro("log_scale", &Normal::log_scale, "log prior - log sqrt(det(2 pi covariance))")
      .def("__getstate__",
           [](const Normal& self) {
             return nb::make_tuple(numpy_of(self.mean, {3}), numpy_of(self.precision, {9}), self.log_scale);
           })
      .def("__setstate__",
           [](Normal& self, const nb::tuple& state) {
             new (&self)
                 Normal{numbers_of<3>(state[0], "mean", "3 numbers"),
                        numbers_of<9>(state[1], "precision", "9 numbers"), nb::cast<double>(state[2])};
           })
      .def("__repr__", [](const Normal& self) {
        return "GaussianPair.Normal(mean=" + nb::cast<std::string>(nb::repr(numpy_of(self.mean, {3}))) +
               ", log_scale=" + text_of(self.log_scale) + ")";
      });
  const auto same_normal = [](const Normal& a, const Normal& b) {
    return a.mean == b.mean && a.precision == b.precision && same(a.log_scale, b.log_scale);
  };
  bind_equal(normal, same_normal);
  normal.attr("__hash__") = nb::none();
  pair.def(
          "__init__",
          [](GaussianPair* self, std::string_view space, const Normal& skin, const Normal& other) {
            new (self) GaussianPair{parse_space(space), skin, other};
          },
          nb::arg("space"), nb::arg("skin"), nb::arg("other"),
          "space: \"rgb\", \"crcb\" (full-range BT.601), \"rg\" (R and G divided by R + G + B) or \"hsv\" "
          "(saturation and hue as polar\ncoordinates, and value).")
      .def_prop_ro(
          "space", [](const GaussianPair& self) { return name_of_space(self.space); },
          "\"rgb\", \"crcb\", \"rg\" or \"hsv\".")
      .def_ro("skin", &GaussianPair::skin, "The distribution of skin.")
      .def_ro("other", &GaussianPair::other, "The distribution of other colours.")
      .def("__getstate__",
           [](const GaussianPair& self) {
             return nb::make_tuple(name_of_space(self.space), self.skin, self.other);
           })
      .def("__setstate__",
           [](GaussianPair& self, const nb::tuple& state) {
             new (&self) GaussianPair{parse_space(nb::cast<std::string_view>(state[0])),
                                      nb::cast<Normal>(state[1]), nb::cast<Normal>(state[2])};
           })
      .def("__repr__", [](const GaussianPair& self) {
        return std::string("GaussianPair(space='") + name_of_space(self.space) + "')";
      });
  bind_equal(pair, [same_normal](const GaussianPair& a, const GaussianPair& b) {
    return a.space == b.space && same_normal(a.skin, b.skin) && same_normal(a.other, b.other);
  });
  pair.attr("__hash__") = nb::none();
}

void bind_ellipse(nb::module_& m) {
  auto type = nb::class_<ChrominanceEllipse>(
      m, "ChrominanceEllipse",
      "An ellipse in (Cr, Cb): weight 1 at the centre and 1/2 on the edge, linear in the squared Mahalanobis "
      "distance.");
  const auto make = [](ChrominanceEllipse* self, nb::handle mean, nb::handle precision, double edge,
                       double softness) {
    require(std::isfinite(edge) && edge > 0, "edge: the squared distance must be above 0 and finite");
    require(std::isfinite(softness) && softness > 0,
            "softness: the squared distance must be above 0 and finite");
    new (self)
        ChrominanceEllipse{numbers_of<2>(mean, "mean", "2 numbers, Cr and Cb"),
                           numbers_of<3>(precision, "precision", "3 numbers, xx, xy and yy"), edge, softness};
  };
  type.def("__init__", make, nb::arg("mean").none(), nb::arg("precision").none(), nb::arg("edge") = 1.0,
           nb::arg("softness") = 1.0,
           nb::sig("def __init__(self, mean: numpy.typing.ArrayLike, precision: numpy.typing.ArrayLike, "
                   "edge: float = 1.0, softness: float = 1.0) -> None"))
      .def_prop_ro(
          "mean", [](const ChrominanceEllipse& self) { return numpy_of(self.mean, {2}); },
          nb::sig("def mean(self) -> numpy.ndarray"), "(2,) float64: Cr, Cb.")
      .def_prop_ro(
          "precision", [](const ChrominanceEllipse& self) { return numpy_of(self.precision, {3}); },
          nb::sig("def precision(self) -> numpy.ndarray"), "(3,) float64: xx, xy, yy.")
      .def_ro("edge", &ChrominanceEllipse::edge, "The squared distance of the edge.")
      .def_ro("softness", &ChrominanceEllipse::softness,
              "The squared distance over which the weight falls from 1 to 0.")
      .def("__getstate__",
           [](const ChrominanceEllipse& self) {
             return nb::make_tuple(numpy_of(self.mean, {2}), numpy_of(self.precision, {3}), self.edge,
                                   self.softness);
           })
      .def("__setstate__",
           [make](ChrominanceEllipse& self, const nb::tuple& state) {
             make(&self, state[0], state[1], nb::cast<double>(state[2]), nb::cast<double>(state[3]));
           })
      .def("__repr__", [](const ChrominanceEllipse& self) {
        return "ChrominanceEllipse(mean=(" + text_of(self.mean[0]) + ", " + text_of(self.mean[1]) +
               "), precision=(" + text_of(self.precision[0]) + ", " + text_of(self.precision[1]) + ", " +
               text_of(self.precision[2]) + "), edge=" + text_of(self.edge) +
               ", softness=" + text_of(self.softness) + ")";
      });
  bind_equal(type, [](const ChrominanceEllipse& a, const ChrominanceEllipse& b) {
    return a.mean == b.mean && a.precision == b.precision && a.edge == b.edge && a.softness == b.softness;
  });
  type.attr("__hash__") = nb::none();
}

}  // namespace triptych::python
