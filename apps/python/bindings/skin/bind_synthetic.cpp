// SyntheticScene and SyntheticTruth.
#include <triptych/skin_tracker/synthetic.hpp>

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../compute.hpp"
#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

// Python counts from the end with negative numbers.
int frame_number(const SyntheticScene& scene, std::int64_t frame) {
  const std::int64_t frames = scene.options().frames;
  const std::int64_t at = frame < 0 ? frame + frames : frame;
  if (at < 0 || at >= frames)
    throw nb::index_error(("frame: " + std::to_string(frame) + " is not one of the " +
                           std::to_string(frames) + " frames of the scene")
                              .c_str());
  return static_cast<int>(at);
}

nb::object render(const SyntheticScene& scene, std::int64_t frame, int threads) {
  const auto width = static_cast<std::size_t>(scene.options().width);
  const auto height = static_cast<std::size_t>(scene.options().height);
  const int number = frame_number(scene, frame);
  std::vector<std::uint8_t> pixels(3 * width * height);
  compute([&] {
    scene.render(number,
                 ImageView<Rgb8>(reinterpret_cast<Rgb8*>(pixels.data()), scene.options().width,
                                 scene.options().height),
                 threads);
  });
  return to_numpy(std::move(pixels), {height, width, 3});
}

void bind_truth(nb::module_& m) {
  auto type =
      nb::class_<SyntheticTruth>(m, "SyntheticTruth", "Where the face is in a frame of a SyntheticScene.");
  type.def_ro("x_px", &SyntheticTruth::x_px, "The face's middle.")
      .def_ro("y_px", &SyntheticTruth::y_px, "The face's middle; y goes down.")
      .def_ro("semi_major_px", &SyntheticTruth::semi_major_px, "Of its ellipse, in pixels.")
      .def_ro("semi_minor_px", &SyntheticTruth::semi_minor_px, "Of its ellipse, in pixels.")
      .def_ro("angle_rad", &SyntheticTruth::angle_rad, "Of the major axis, from x towards y.")
      .def_prop_ro(
          "box", [](const SyntheticTruth& self) { return tuple_of(self.box); },
          nb::sig("def box(self) -> tuple[float, float, float, float]"),
          "The upright box (x, y, width, height) around the ellipse, in pixels.")
      .def("__getstate__",
           [](const SyntheticTruth& self) {
             return nb::make_tuple(self.x_px, self.y_px, self.semi_major_px, self.semi_minor_px,
                                   self.angle_rad, tuple_of(self.box));
           })
      .def("__setstate__",
           [](SyntheticTruth& self, const nb::tuple& state) {
             const auto number = [&](std::size_t i) { return nb::cast<double>(state[i]); };
             new (&self) SyntheticTruth{number(0), number(1), number(2),
                                        number(3), number(4), box_of(state[5], "box")};
           })
      .def("__repr__", [](const SyntheticTruth& self) {
        return "SyntheticTruth(x_px=" + text_of(self.x_px) + ", y_px=" + text_of(self.y_px) +
               ", box=" + nb::cast<std::string>(nb::repr(tuple_of(self.box))) + ")";
      });
  bind_equal(type, [](const SyntheticTruth& a, const SyntheticTruth& b) {
    return a.x_px == b.x_px && a.y_px == b.y_px && a.semi_major_px == b.semi_major_px &&
           a.semi_minor_px == b.semi_minor_px && a.angle_rad == b.angle_rad && a.box == b.box;
  });
  type.attr("__hash__") = nb::none();
}

}  // namespace

void bind_synthetic(nb::module_& m) {
  bind_truth(m);
  const SyntheticOptions defaults;
  nb::class_<SyntheticScene>(
      m, "SyntheticScene",
      "A synthetic scene with exact ground truth: a textured room, a shaded elliptic face that moves, tilts "
      "and changes its distance,\n"
      "pixel noise, and on request a hand in skin colour as a distractor. A sequence of frames.\n\n"
      ">>> scene = SyntheticScene(width=320, height=240, frames=10)\n"
      ">>> for frame in scene: ...")
      .def(
          "__init__",
          [](SyntheticScene* self, Whole<"width"> width, Whole<"height"> height, Whole<"frames"> frames,
             bool distractor, double noise, Whole<"seed", std::uint64_t> seed) {
            const SyntheticOptions options{width, height, frames, distractor, noise, seed};
            compute([&] { new (self) SyntheticScene(options); });
          },
          nb::kw_only(), nb::arg("width") = defaults.width, nb::arg("height") = defaults.height,
          nb::arg("frames") = defaults.frames, nb::arg("distractor") = defaults.distractor,
          nb::arg("noise") = defaults.noise, nb::arg("seed") = defaults.seed,
          "Renders the room, which is the same in all frames. noise: the standard deviation of the pixel "
          "noise, in grey levels.\n"
          "InvalidArgument for sizes below 64 x 64 or above 8192 x 4352, no frames, or noise outside 0 .. "
          "64.")
      .def(
          "render",
          [](const SyntheticScene& self, Whole<"frame", std::int64_t> frame, Whole<"threads"> threads) {
            return render(self, frame, threads);
          },
          nb::arg("frame"), nb::kw_only(), nb::arg("threads") = 0,
          nb::sig("def render(self, frame: int, *, threads: int = 0) -> numpy.ndarray"),
          "A frame, (height, width, 3) uint8 RGB; the same pixels for the same options. threads: 0 means all "
          "cores.\nIndexError unless there is such a frame; -1 is the last one.")
      .def(
          "truth",
          [](const SyntheticScene& self, Whole<"frame", std::int64_t> frame) {
            return self.truth(frame_number(self, frame));
          },
          nb::arg("frame"), "The SyntheticTruth of a frame. IndexError unless there is such a frame.")
      .def("__len__", [](const SyntheticScene& self) { return self.options().frames; })
      .def(
          "__getitem__",
          [](const SyntheticScene& self, std::int64_t frame) { return render(self, frame, 0); },
          nb::arg("frame"), nb::sig("def __getitem__(self, frame: int) -> numpy.ndarray"), "As render().")
      .def(
          "__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[numpy.ndarray]"), "The frames in order.")
      .def_prop_ro(
          "width", [](const SyntheticScene& self) { return self.options().width; }, "In pixels.")
      .def_prop_ro(
          "height", [](const SyntheticScene& self) { return self.options().height; }, "In pixels.")
      .def("__getstate__",
           [](const SyntheticScene& self) {
             const SyntheticOptions& o = self.options();
             return nb::make_tuple(o.width, o.height, o.frames, o.distractor, o.noise, o.seed);
           })
      .def("__setstate__",
           [](SyntheticScene& self, const nb::tuple& s) {
             new (&self) SyntheticScene({nb::cast<int>(s[0]), nb::cast<int>(s[1]), nb::cast<int>(s[2]),
                                         nb::cast<bool>(s[3]), nb::cast<double>(s[4]),
                                         nb::cast<std::uint64_t>(s[5])});
           })
      .def("__repr__", [](const SyntheticScene& self) {
        const SyntheticOptions& o = self.options();
        return "SyntheticScene(width=" + std::to_string(o.width) + ", height=" + std::to_string(o.height) +
               ", frames=" + std::to_string(o.frames) + ", distractor=" + (o.distractor ? "True" : "False") +
               ", noise=" + text_of(o.noise) + ", seed=" + std::to_string(o.seed) + ")";
      });
}

}  // namespace triptych::python
