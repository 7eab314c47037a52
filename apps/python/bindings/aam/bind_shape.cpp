// Shapes of landmarks, and the similarities that move them.
#include <triptych/aam_fit/box_offset.hpp>
#include <triptych/aam_fit/shape.hpp>
#include <triptych/aam_fit/triangulation.hpp>

#include <cmath>

#include "aam.hpp"

namespace triptych::python {

using aam_fit::Model;
using aam_fit::Shape;
using aam_fit::Similarity;

namespace {

void bind_similarity(nb::module_& m) {
  nb::class_<Similarity>(
      m, "Similarity",
      "A pose in the plane: X = (1 + sx) x - sy y + tx, Y = sy x + (1 + sx) y + ty; zero at rest.\n\n"
      ">>> Similarity(tx=2)([[1, 1]])\narray([[3., 1.]])")
      .def(
          "__init__",
          [](Similarity* self, double sx, double sy, double tx, double ty) {
            for (const double value : {sx, sy, tx, ty})
              require(std::isfinite(value), "sx, sy, tx, ty: ", value, " is not finite");
            new (self) Similarity{sx, sy, tx, ty};
          },
          nb::kw_only(), nb::arg("sx") = 0.0, nb::arg("sy") = 0.0, nb::arg("tx") = 0.0, nb::arg("ty") = 0.0)
      .def_ro("sx", &Similarity::sx, "Scale times the cosine of the angle, less 1.")
      .def_ro("sy", &Similarity::sy, "Scale times the sine of the angle.")
      .def_ro("tx", &Similarity::tx, "Shift to the right.")
      .def_ro("ty", &Similarity::ty, "Shift down.")
      .def_prop_ro(
          "matrix",
          [](const Similarity& s) {
            return to_numpy(std::vector<double>{1 + s.sx, -s.sy, s.tx, s.sy, 1 + s.sx, s.ty}, {2, 3});
          },
          nb::sig("def matrix(self) -> numpy.typing.NDArray[numpy.float64]"),
          "As (2, 3): [X, Y] = M [x, y, 1].")
      .def(
          "__call__",
          [](const Similarity& self, nb::handle shape) {
            return to_numpy(aam_fit::posed(self, shape_of(shape, "shape")));
          },
          nb::arg("shape"),
          nb::sig("def __call__(self, shape: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
          "The shape (n, 2), moved.")
      .def(
          "__matmul__",
          [](const Similarity& self, const Similarity& before) { return compose(self, before); },
          nb::arg("before"), "(a @ b)(shape) is a(b(shape)).")
      .def(
          "inverse", [](const Similarity& self) { return inverse(self); },
          "The pose back. InvalidArgument when this one shrinks to a point.")
      .def(
          "__eq__",
          [](const Similarity& self, nb::handle other) {
            return nb::isinstance<Similarity>(other) && self == nb::cast<const Similarity&>(other);
          },
          nb::arg("other").none())
      .def("__getstate__", [](const Similarity& s) { return nb::make_tuple(s.sx, s.sy, s.tx, s.ty); })
      .def("__setstate__",
           [](Similarity& self, const nb::tuple& s) {
             new (&self) Similarity{nb::cast<double>(s[0]), nb::cast<double>(s[1]), nb::cast<double>(s[2]),
                                    nb::cast<double>(s[3])};
           })
      .def("__repr__", [](const Similarity& s) {
        return "Similarity(sx=" + text_of(s.sx) + ", sy=" + text_of(s.sy) + ", tx=" + text_of(s.tx) +
               ", ty=" + text_of(s.ty) + ")";
      });
}

}  // namespace

void bind_aam_shape(nb::module_& m) {
  bind_similarity(m);
  m.def(
      "align",
      [](nb::handle from, nb::handle to) {
        const Shape source = shape_of(from, "source"), target = shape_of(to, "target");
        require(source.size() == target.size(), "target: it has ", target.size(), " points, source has ",
                source.size());
        return naming("source", [&] { return aam_fit::align(source, target); });
      },
      nb::arg("source"), nb::arg("target"),
      nb::sig("def align(source: numpy.typing.ArrayLike, target: numpy.typing.ArrayLike) -> Similarity"),
      "The Similarity that brings source closest to target, by least squares; both (n, 2).\n\n"
      "InvalidArgument when there are fewer than two points, or all points of source coincide.");
  m.def(
      "shape_error",
      [](nb::handle shape, nb::handle truth) {
        const Shape a = shape_of(shape, "shape"), b = shape_of(truth, "truth");
        return naming("truth", [&] { return aam_fit::shape_error(a, b); });
      },
      nb::arg("shape"), nb::arg("truth"),
      nb::sig("def shape_error(shape: numpy.typing.ArrayLike, truth: numpy.typing.ArrayLike) -> float"),
      "Mean distance of corresponding points over the square root of the area of the truth's box; both (n, "
      "2).");
  m.def(
      "bounds",
      [](nb::handle shape) {
        const Shape points = shape_of(shape, "shape");
        return to_tuple(naming("shape", [&] { return aam_fit::bounds(points); }));
      },
      nb::arg("shape"),
      nb::sig("def bounds(shape: numpy.typing.ArrayLike) -> tuple[float, float, float, float]"),
      "The box (x, y, width, height) of a shape (n, 2).");
  m.def(
      "face_size",
      [](nb::handle shape) {
        const Shape points = shape_of(shape, "shape");
        return naming("shape", [&] { return aam_fit::face_size(points); });
      },
      nb::arg("shape"), nb::sig("def face_size(shape: numpy.typing.ArrayLike) -> float"),
      "sqrt(width * height) of the shape's box: the unit of errors.");
  m.def(
      "place_in_box",
      [](nb::handle shape, nb::handle box) {
        const Shape points = shape_of(shape, "shape");
        const Box in = face_box_of(box, "box");
        return to_numpy(naming("shape", [&] { return aam_fit::place_in_box(points, in); }));
      },
      nb::arg("shape"), nb::arg("box"),
      nb::sig("def place_in_box(shape: numpy.typing.ArrayLike, box: collections.abc.Sequence[float] | "
              "numpy.typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The shape (n, 2), scaled by one factor and centred into the box (x, y, width, height).");
  m.def(
      "start_in_box",
      [](const Model& model, nb::handle box, Whole<"width", std::int64_t> width,
         Whole<"height", std::int64_t> height, nb::handle offset) {
        const Box in = face_box_of(box, "box");
        aam_fit::BoxOffset of_detector;
        if (!offset.is_none()) {
          const Array array = host_array<double>(offset, "offset");
          array.require_shape({3}, "(shift_x, shift_y, scale)");
          const double* numbers = array.contiguous<double>();
          of_detector = {numbers[0], numbers[1], numbers[2]};
        }
        require(width >= 1, "width: expected 1 or more pixels, not ", width);
        require(height >= 1, "height: expected 1 or more pixels, not ", height);
        return to_numpy(naming("box", [&] {
          return offset.is_none() ? aam_fit::start_in_box(model, in, width, height)
                                  : aam_fit::start_in_box(model, in, of_detector, width, height);
        }));
      },
      nb::arg("model"), nb::arg("box"), nb::arg("width"), nb::arg("height"), nb::arg("offset") = nb::none(),
      nb::sig("def start_in_box(model: Model, box: collections.abc.Sequence[float] | numpy.typing.ArrayLike, "
              "width: int, "
              "height: int, offset: collections.abc.Sequence[float] | None = None) "
              "-> numpy.typing.NDArray[numpy.float64]"),
      "The model's mean shape in the box of a face, (points, 2): where Fitter(model)(image, box) starts.\n\n"
      "width, height: of the image. offset: of the detector that the box is from, as calibrate_box_offset() "
      "returns "
      "it.\nInvalidArgument when the box lies outside the image.");
  m.def(
      "_calibrate_box_offset",
      [](nb::handle boxes, nb::handle shapes) {
        require(nb::isinstance<nb::iterable>(boxes), "boxes: expected a sequence of boxes, not a ",
                type_text(boxes));
        std::vector<Box> from;
        for (const nb::handle box : nb::cast<nb::iterable>(boxes)) from.push_back(face_box_of(box, "boxes"));
        const std::vector<Shape> to = shapes_of(shapes, "shapes");
        const aam_fit::BoxOffset offset =
            naming("boxes", [&] { return aam_fit::calibrate_box_offset(from, to); });
        return nb::make_tuple(offset.shift_x, offset.shift_y, offset.scale);
      },
      nb::arg("boxes"), nb::arg("shapes"),
      nb::sig("def _calibrate_box_offset(boxes: collections.abc.Iterable[collections.abc.Sequence[float]], "
              "shapes: "
              "numpy.typing.ArrayLike) -> tuple[float, float, float]"),
      "See triptych.aam.calibrate_box_offset().");
  m.def(
      "evaluation_starts",
      [](nb::handle mean, nb::handle truth) {
        const Shape a = shape_of(mean, "mean"), b = shape_of(truth, "truth");
        return to_numpy(naming("truth", [&] { return aam_fit::evaluation_starts(a, b); }), a.size());
      },
      nb::arg("mean"), nb::arg("truth"),
      nb::sig("def evaluation_starts(mean: numpy.typing.ArrayLike, truth: numpy.typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The five starts of the evaluation, (5, n, 2): the mean shape in the truth's box, moved and scaled.");
  m.def(
      "triangulate",
      [](nb::handle points) {
        const Shape shape = shape_of(points, "points");
        return to_numpy(naming("points", [&] { return aam_fit::triangulate(shape); }));
      },
      nb::arg("points"),
      nb::sig("def triangulate(points: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.int32]"),
      "Delaunay triangles of points (n, 2): indices, (t, 3) int32, counter-clockwise as seen (y down).\n\n"
      "InvalidArgument when fewer than three points are distinct, or all lie on a line.");
}

}  // namespace triptych::python
