// FaceTracker.
#include <triptych/aam_fit/face_tracker.hpp>

#include <nanobind/stl/string_view.h>

#include <optional>

#include "../frame_processor.hpp"
#include "aam.hpp"
#include "fitter_options.hpp"

namespace triptych::python {

using aam_fit::FaceTracker;
using aam_fit::TrackedFace;

namespace {

using Self = Held<FaceTracker>;

// The frame's box, when there is one: InvalidArgument, as the library says it, when it lies outside.
std::optional<Box> box_in(const Array& frame, nb::handle box) {
  if (box.is_none()) return {};
  const Box given = face_box_of(box, "box");
  const auto width = static_cast<double>(frame.shape(1)), height = static_cast<double>(frame.shape(0));
  require(given.x < width && given.y < height && given.x + given.width > 0 && given.y + given.height > 0,
          "box: the face box of ", given.width, " x ", given.height, " pixels at (", given.x, ", ", given.y,
          ") lies outside the frame of ", frame.shape(1), " x ", frame.shape(0));
  return given;
}

// Calls function with the frame of an array, after the work that writes it, and with the box.
template <class Function>
auto with_frame(Self& self, const Array& array, nb::handle box, Function&& function) {
  require_grey(array);
  array.require_on(self.get().device());
  const std::optional<Box> from = box_in(array, box);
  if (!array.on_gpu()) {
    const auto view = host_image(array);
    return compute(self.mutex(), [&] { return function(self.get(), view, from); });
  }
  const auto view = device_image(array);
  self.wait_for(array);
  return compute(self.mutex(), [&] { return function(self.get(), view, from); });
}

TrackedFace step(Self& self, nb::handle frame, nb::handle box, nb::handle stream) {
  const Array array(frame, "frame", stream);
  return with_frame(self, array, box, [](FaceTracker& tracker, const auto& view, const auto& from) {
    return tracker.step(view, from);
  });
}

void submit(Self& self, nb::handle frame, nb::handle box, nb::handle stream) {
  const Array array(frame, "frame", stream);
  with_frame(self, array, box,
             [](FaceTracker& tracker, const auto& view, const auto& from) { tracker.submit(view, from); });
  self.keep(array.on_gpu() ? array.owner() : nb::none());
}

#define TRIPTYCH_ONE_FRAME(name, result)                                                                    \
  nb::arg("frame"), nb::arg("box") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),             \
                    nb::sig("def " name                                                                     \
                            "(self, frame: numpy.typing.ArrayLike, box: collections.abc.Sequence[float] | " \
                            "numpy.typing.ArrayLike | None "                                                \
                            "= None, *, stream: object = None) -> " result)

}  // namespace

void bind_aam_tracker(nb::module_& m) {
  const aam_fit::FaceTrackerOptions o;
  nb::class_<Self> tracker(
      m, "FaceTracker",
      "Tracks one face through a video, each frame from the shape in the frame before it. Calls "
      "from several threads\ntake turns.");
  tracker
      .def(
          "__init__",
          [](Self* self, const aam_fit::Model& model, double lost_error, nb::handle box,
             TRIPTYCH_FITTER_PARAMETERS, nb::handle device) {
            aam_fit::FaceTrackerOptions options;
            options.fitter = TRIPTYCH_FITTER_VALUES.options();
            options.lost_error = lost_error;
            if (!box.is_none()) options.box = face_box_of(box, "box");
            const Device where = device_of(device);
            new (self) Self(compute([&] { return FaceTracker(model, options, where); }));
          },
          nb::arg("model"), nb::kw_only(), nb::arg("lost_error") = o.lost_error, nb::arg("box") = nb::none(),
          TRIPTYCH_FITTER_ARGUMENTS(o.fitter), nb::arg("device") = "auto",
          (std::string("lost_error: Fit.error above which the face is lost, whatever the confidence; 0: it "
                       "is lost below "
                       "min_confidence, or\nwhen the error exceeds those of the frames before by far.\n"
                       "box: (x, y, width, height), where to start at first, and again whenever the face was "
                       "lost.\n") +
           fitter_keywords_doc)
              .c_str())
      .def("__call__", &step, TRIPTYCH_ONE_FRAME("__call__", "TrackedFace"),
           "Tracks the face into the next frame.\n\n"
           "frame: grey, uint8 of shape (height, width), on the host, or on the GPU of a tracker on that "
           "GPU. Not copied.\n"
           "box: start from here, not from the last shape; (x, y, width, height) in pixels.\n"
           "stream: the CUDA stream on which the frame is written; without it the array's library is asked.\n"
           "InvalidArgument when the box lies outside the frame, or the frame is empty or too large.")
      .def("submit", &submit, TRIPTYCH_ONE_FRAME("submit", "None"),
           "What a call does; next() returns the TrackedFace. A frame needs the result of the one before it: "
           "submit()\n"
           "does the work. At most 3 results wait.");
  bind_frame_processor(tracker, "FaceTracker");
}

}  // namespace triptych::python
