// Moments, Head, HeadEllipse, TrackedHead.
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>

#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

bool same_head(const Head& a, const Head& b) {
  return same(a.x_px, b.x_px) && same(a.y_px, b.y_px) && same(a.weight_px, b.weight_px) &&
         same(a.area, b.area) && same(a.xx_px2, b.xx_px2) && same(a.xy_px2, b.xy_px2) &&
         same(a.yy_px2, b.yy_px2) && a.found == b.found;
}

bool same_face(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same_evidence(const HeadEvidence& a, const HeadEvidence& b) {
  return a.source == b.source && same(a.compactness, b.compactness) && same(a.extent, b.extent) &&
         same(a.roundness, b.roundness) && same(a.oval, b.oval) && same(a.likeness, b.likeness) &&
         same(a.sharpness, b.sharpness) && a.own_colours == b.own_colours && same_face(a.face, b.face);
}

// Names of HeadSource, in its order.
constexpr const char* source_names[] = {"whole frame", "search", "start"};

bool same_tracked(const TrackedHead& a, const TrackedHead& b) {
  return a.status == b.status && same(a.score, b.score) && same(a.confidence, b.confidence) &&
         same_evidence(a.evidence, b.evidence) && same(a.latency_us, b.latency_us) && same(a.x_px, b.x_px) &&
         same(a.y_px, b.y_px) && same(a.area, b.area) && same(a.distance_m, b.distance_m) &&
         same_head(a.raw, b.raw) && a.window == b.window && a.frame == b.frame;
}

void bind_moments_type(nb::module_& m) {
  auto type = nb::class_<Moments>(
      m, "Moments",
      "Sums over pixels of the skin weight (0 .. 65535) times 1, x, y, x x, x y and y y, in exact "
      "integers.\n\n"
      "x and y count from the frame's middle, (width // 2, height // 2). The moments of parts of one frame "
      "add up to those of the whole.");
  bind_values(type, "Moments", Field{"weight", &Moments::weight, "The sum of the weights."},
              Field{"x", &Moments::x, "The sum of weight times x."},
              Field{"y", &Moments::y, "The sum of weight times y."},
              Field{"xx", &Moments::xx, "The sum of weight times x squared."},
              Field{"xy", &Moments::xy, "The sum of weight times x y."},
              Field{"yy", &Moments::yy, "The sum of weight times y squared."});
  type.def(
          "__init__",
          [](Moments* self, Whole<"weight", std::uint64_t> weight, Whole<"x", std::int64_t> x,
             Whole<"y", std::int64_t> y, Whole<"xx", std::uint64_t> xx, Whole<"xy", std::int64_t> xy,
             Whole<"yy", std::uint64_t> yy) { new (self) Moments{weight, x, y, xx, xy, yy}; },
          nb::arg("weight") = 0, nb::arg("x") = 0, nb::arg("y") = 0, nb::arg("xx") = 0, nb::arg("xy") = 0,
          nb::arg("yy") = 0)
      .def(
          "__add__", [](const Moments& a, const Moments& b) { return a + b; }, nb::arg("other"))
      .def(
          "head",
          [](const Moments& self, Whole<"width"> width, Whole<"height"> height) {
            return head_of(self, width, height);
          },
          nb::arg("width"), nb::arg("height"), "The Head in a frame of that size, in pixels.");
}

void bind_head(nb::module_& m) {
  auto ellipse = nb::class_<HeadEllipse>(
      m, "HeadEllipse",
      "The uniform ellipse that has the head's second moments; NaN when nothing was found.");
  bind_values(
      ellipse, "HeadEllipse", Field{"semi_major_px", &HeadEllipse::semi_major_px, "In pixels."},
      Field{"semi_minor_px", &HeadEllipse::semi_minor_px, "In pixels."},
      Field{"angle_rad", &HeadEllipse::angle_rad, "Of the major axis, from x towards y, in (-pi/2, pi/2]."});
  auto head = nb::class_<Head>(m, "Head", "The position and size of the skin in one frame.");
  bind_values(
      head, "Head",
      Field{"x_px", &Head::x_px, "Centroid; pixel centres are at integers. NaN when nothing was found."},
      Field{"y_px", &Head::y_px, "As x_px; y goes down."},
      Field{"weight_px", &Head::weight_px, "The sum of the weights, in pixels of weight 1."},
      Field{"area", &Head::area, "The share of the frame that is skin, 0 .. 1."},
      Field{"xx_px2", &Head::xx_px2, "Covariance of the skin's position, in pixels squared."},
      Field{"xy_px2", &Head::xy_px2, "Covariance of the skin's position, in pixels squared."},
      Field{"yy_px2", &Head::yy_px2, "Covariance of the skin's position, in pixels squared."},
      Field{"found", &Head::found, "False when no pixel has weight."});
  head.def_prop_ro("ellipse", &ellipse_of, "The HeadEllipse of these moments.")
      .def_prop_ro("score", &score_of, "How densely the skin fills that ellipse, 0 .. 1.");
}

void bind_evidence(nb::module_& m) {
  auto type = nb::class_<HeadEvidence>(m, "HeadEvidence", "What the confidence of a head is computed from.");
  type.def_prop_ro(
          "source",
          [](const HeadEvidence& self) { return source_names[static_cast<std::size_t>(self.source)]; },
          "\"whole frame\" (no gate), \"search\" (gate without a start box) or \"start\" (gate with one).")
      .def_ro("compactness", &HeadEvidence::compactness, "How densely the skin fills its ellipse, 0 .. 1.")
      .def_ro("extent", &HeadEvidence::extent, "The ellipse's size over the frame's; above 1 it is larger.")
      .def_ro("roundness", &HeadEvidence::roundness, "Minor axis over major axis.")
      .def_ro("oval", &HeadEvidence::oval, "Correlation of the window's weights with an oval of skin.")
      .def_ro("likeness", &HeadEvidence::likeness, "Correlation of the weights with those at the start.")
      .def_ro("sharpness", &HeadEvidence::sharpness,
              "Peak-to-sidelobe ratio of a correlation filter that has learnt the looks of the head.")
      .def_ro("own_colours", &HeadEvidence::own_colours,
              "Whether the gate goes by gate_by, the colours of this head.")
      .def_ro(
          "face", &HeadEvidence::face,
          "Without a start box: log odds of a face, which counts while its skin is followed; None where no "
          "frame was looked at.")
      .def_prop_ro("confidence", &confidence_of, "The probability that a head with this evidence is right.")
      .def("__getstate__",
           [](const HeadEvidence& e) {
             return nb::make_tuple(static_cast<int>(e.source), e.compactness, e.extent, e.roundness, e.oval,
                                   e.likeness, e.sharpness, e.own_colours, e.face);
           })
      .def("__setstate__",
           [](HeadEvidence& self, const nb::tuple& state) {
             const auto number = [&](std::size_t i) { return nb::cast<double>(state[i]); };
             const int source = nb::cast<int>(state[0]);
             require(source >= 0 && source <= 2, "there is no source of a head number ", source);
             new (&self) HeadEvidence{static_cast<HeadSource>(source),
                                      number(1),
                                      number(2),
                                      number(3),
                                      number(4),
                                      number(5),
                                      number(6),
                                      nb::cast<bool>(state[7]),
                                      nb::cast<std::optional<double>>(state[8])};
           })
      .def("__repr__", [](const HeadEvidence& e) {
        return "HeadEvidence(source='" + std::string(source_names[static_cast<std::size_t>(e.source)]) +
               "', compactness=" + text_of(e.compactness) + ", extent=" + text_of(e.extent) +
               ", oval=" + text_of(e.oval) + ", likeness=" + text_of(e.likeness) +
               ", sharpness=" + text_of(e.sharpness) + (e.face ? ", face=" + text_of(*e.face) : "") + ")";
      });
  bind_equal(type, same_evidence);
  type.attr("__hash__") = nb::none();
}

void bind_tracked_head(nb::module_& m) {
  auto type = nb::class_<TrackedHead>(m, "TrackedHead", "The head in one frame, as a Tracker returns it.");
  type.def_prop_ro(
          "found", [](const TrackedHead& self) { return self.found(); }, "Whether the head is in the frame.")
      .def_prop_ro(
          "status", [](const TrackedHead& self) { return to_string(self.status); },
          "\"found\", or \"lost: \" and why.")
      .def_ro("score", &TrackedHead::score, "How densely the skin fills an ellipse, 0 .. 1; 0 when lost.")
      .def_ro("confidence", &TrackedHead::confidence,
              "The probability that the middle is within half a head of the true one, 0 .. 1.")
      .def_prop_ro(
          "reason", [](const TrackedHead& self) { return reason(self); },
          "Why the head was not found and what to do, in one sentence; empty when it was found.")
      .def_ro("evidence", &TrackedHead::evidence, "The HeadEvidence from which the confidence follows.")
      .def_ro("latency_us", &TrackedHead::latency_us, "From the frame to its result, in microseconds.")
      .def_ro("x_px", &TrackedHead::x_px, "Smoothed on request; when lost: the last position.")
      .def_ro("y_px", &TrackedHead::y_px, "As x_px; y goes down.")
      .def_ro("area", &TrackedHead::area, "The share of the frame that is skin, 0 .. 1.")
      .def_ro("distance_m", &TrackedHead::distance_m, "In metres; when lost: the last one.")
      .def_ro("raw", &TrackedHead::raw, "The Head as measured in this frame (in the window, when gated).")
      .def_prop_ro(
          "ellipse", [](const TrackedHead& self) { return ellipse_of(self.raw); }, "The ellipse of raw.")
      .def_prop_ro(
          "window", [](const TrackedHead& self) { return tuple_of(self.window); },
          nb::sig("def window(self) -> tuple[int, int, int, int]"),
          "The pixels that were measured: (x, y, width, height).")
      .def_ro("frame", &TrackedHead::frame, "0, 1, ... since the tracker was made or reset.")
      .def("__getstate__",
           [](const TrackedHead& self) {
             return nb::make_tuple(static_cast<int>(self.status), self.score, self.confidence,
                                   self.latency_us, self.x_px, self.y_px, self.area, self.distance_m,
                                   self.raw, tuple_of(self.window), self.evidence, self.frame);
           })
      .def("__setstate__",
           [](TrackedHead& self, const nb::tuple& state) {
             const auto number = [&](std::size_t i) { return nb::cast<double>(state[i]); };
             new (&self) TrackedHead{
                 static_cast<HeadStatus>(nb::cast<int>(state[0])),
                 number(1),
                 number(2),
                 number(3),
                 number(4),
                 number(5),
                 number(6),
                 number(7),
                 nb::cast<Head>(state[8]),
                 pixel_box_of(state[9], "window"),
                 nb::cast<HeadEvidence>(state[10]),
                 nb::cast<std::int64_t>(state[11]),
             };
             to_string(self.status);  // InvalidArgument for an unknown one
           })
      .def("__repr__", [](const TrackedHead& self) {
        return "TrackedHead(frame=" + std::to_string(self.frame) + ", status='" + to_string(self.status) +
               "', x_px=" + text_of(self.x_px) + ", y_px=" + text_of(self.y_px) +
               ", distance_m=" + text_of(self.distance_m) + ", score=" + text_of(self.score) +
               ", confidence=" + text_of(self.confidence) + ")";
      });
  bind_equal(type, same_tracked);
  type.attr("__hash__") = nb::none();
}

}  // namespace

void bind_heads(nb::module_& m) {
  bind_moments_type(m);
  bind_head(m);
  bind_evidence(m);
  bind_tracked_head(m);
}

}  // namespace triptych::python
