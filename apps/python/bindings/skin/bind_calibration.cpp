// calibrate() and Calibration.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cmath>
#include <string>
#include <vector>

#include "../compute.hpp"
#include "frames.hpp"
#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

bool same_calibration(const FaceCalibration& a, const FaceCalibration& b) {
  const Calibration &p = a.calibration, &q = b.calibration;
  return p.filter == q.filter && p.face_weight == q.face_weight &&
         p.background_weight == q.background_weight && p.area == q.area && p.colours.bits == q.colours.bits &&
         p.colours.share == q.colours.share && a.face == b.face && a.frame_width == b.frame_width &&
         a.frame_height == b.frame_height && a.format == b.format;
}

Box face_of(nb::handle face) {
  const Box box = box_of(face, "face");
  require(!box.empty(), "face: a box of ", box.width, " x ", box.height, " pixels is empty");
  return box;
}

FaceCalibration calibrate_on(nb::handle frame, nb::handle face, nb::handle format, Whole<"threads"> threads,
                             nb::handle stream) {
  const OptionalFormat given = format_of(format);
  std::vector<Array> arrays;  // keeps the memory
  std::vector<HostFrame> frames;
  std::vector<MarkedFrame> marked;
  const auto add = [&](nb::handle array, nb::handle box) {
    frames.emplace_back(arrays.emplace_back(array, "frame", stream), given);
    marked.push_back({{}, face_of(box)});
  };
  if (nb::isinstance<nb::list>(frame) || nb::isinstance<nb::tuple>(frame)) {
    require(face.is_none(), "face: a list of pairs (frame, face) has the faces already");
    for (const nb::handle pair : frame) {
      require(nb::isinstance<nb::tuple>(pair) && nb::len(pair) == 2,
              "frame: expected pairs (frame, face) in the list, not a ", type_text(pair));
      add(pair[0], pair[1]);
    }
  } else {
    require(!face.is_none(), "face: expected the box of the face, (x, y, width, height)");
    add(frame, face);
  }
  require(!marked.empty(), "frame: the list has no pair (frame, face)");
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i].frame = frames[i].frame();
  const Frame& first = marked[0].frame;
  return {compute([&] { return calibrate(marked, threads); }), marked[0].face, first.width(), first.height(),
          first.format()};
}

}  // namespace

void bind_calibration(nb::module_& m) {
  using Self = FaceCalibration;
  auto type = nb::class_<Self>(m, "Calibration",
                               "The colours of a face, found by calibrate(). Usable wherever a classifier "
                               "is: it stands for its filter.");
  type.def_prop_ro(
          "filter", [](const Self& self) { return self.calibration.filter; },
          "The LinearFilter that separates the face from its surroundings.")
      .def_prop_ro(
          "colours", [](const Self& self) -> const HistogramRatio& { return self.calibration.colours; },
          nb::rv_policy::reference_internal,
          "A HistogramRatio: for each colour the share of the face among its pixels. For Tracker's gate_by.")
      .def_prop_ro(
          "area", [](const Self& self) { return self.calibration.area; },
          "The weight inside the face as a share of the frame: the reference of distances.")
      .def_prop_ro(
          "face_weight", [](const Self& self) { return self.calibration.face_weight; },
          "The mean weight inside the face.")
      .def_prop_ro(
          "background_weight", [](const Self& self) { return self.calibration.background_weight; },
          "The mean weight outside.")
      .def_prop_ro(
          "face", [](const Self& self) { return tuple_of(self.face); },
          nb::sig("def face(self) -> tuple[float, float, float, float]"),
          "The box (x, y, width, height) of the face in the (first) frame, in pixels.")
      .def_prop_ro(
          "frame_size", [](const Self& self) { return nb::make_tuple(self.frame_width, self.frame_height); },
          nb::sig("def frame_size(self) -> tuple[int, int]"),
          "(width, height) of the (first) frame, in pixels.")
      .def_prop_ro(
          "format", [](const Self& self) { return to_string(self.format); }, "Of the (first) frame.")
      .def("__getstate__",
           [](const Self& self) {
             const Calibration& c = self.calibration;
             return nb::make_tuple(c.filter, c.face_weight, c.background_weight, c.area, c.colours,
                                   tuple_of(self.face), self.frame_width, self.frame_height,
                                   to_string(self.format));
           })
      .def("__setstate__",
           [](Self& self, const nb::tuple& s) {
             new (&self) Self{{nb::cast<LinearFilter>(s[0]), nb::cast<double>(s[1]), nb::cast<double>(s[2]),
                               nb::cast<double>(s[3]), nb::cast<HistogramRatio>(s[4])},
                              box_of(s[5], "face"),
                              nb::cast<int>(s[6]),
                              nb::cast<int>(s[7]),
                              parse_frame_format(nb::cast<std::string_view>(s[8]))};
           })
      .def("__repr__", [](const Self& self) {
        return "Calibration(filter='" + to_string(self.calibration.filter) +
               "', area=" + text_of(self.calibration.area) +
               ", face_weight=" + text_of(self.calibration.face_weight) +
               ", background_weight=" + text_of(self.calibration.background_weight) + ")";
      });
  bind_equal(type, same_calibration);
  type.attr("__hash__") = nb::none();
  m.def(
      "calibrate", &calibrate_on, nb::arg("frame").none(), nb::arg("face") = nb::none(), nb::kw_only(),
      nb::arg("format") = nb::none(), nb::arg("threads") = 0, nb::arg("stream") = nb::none(),
      nb::sig("def calibrate(frame: numpy.typing.ArrayLike | "
              "collections.abc.Sequence[tuple[numpy.typing.ArrayLike, collections.abc.Sequence[float] | "
              "numpy.ndarray]], face: collections.abc.Sequence[float] | numpy.ndarray | None = None, *, "
              "format: str | None = None, threads: int = 0, stream: object | None = None) -> Calibration"),
      "Finds the colours that separate a face from its surroundings.\n\n"
      "frame: uint8 (height, width, 3 or 4), or a list of pairs (frame, face). A frame on a GPU is copied to "
      "the host first.\n"
      "face: the box (x, y, width, height) in pixels whose inscribed ellipse the face fills.\n"
      "format: of the frames, see Tracker. threads: 0 means all cores. stream: the CUDA stream on which a "
      "frame on a GPU is written;\n"
      "without it the array's library is asked.\n"
      "CalibrationError, which says what to do, when the face cannot be separated from its surroundings.\n\n"
      ">>> skin = calibrate(frame, face=(100, 80, 60, 90))");
}

}  // namespace triptych::python
