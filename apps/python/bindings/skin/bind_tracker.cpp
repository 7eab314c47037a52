// Tracker.
#include <triptych/skin_tracker/tracker.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "../frame_processor.hpp"
#include "frames.hpp"
#include "skin.hpp"
#include "tracker_docs.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

// A Tracker with the format of frames for which none is given.
class FormatTracker : public Tracker {
 public:
  FormatTracker(Tracker tracker, OptionalFormat format) : Tracker(std::move(tracker)), format_(format) {}
  OptionalFormat format() const { return format_; }

 private:
  OptionalFormat format_;
};
using Self = Held<FormatTracker>;

// The keywords that both ways to make a Tracker share.
struct Keywords {
  std::optional<int> max_width, max_height;
  bool smooth;
  double min_cutoff_hz, beta, speed_cutoff_hz;
  double reference_distance_m, lost_below_area, min_confidence;

  TrackerOptions options(const std::optional<FrameLayout>& like) const {
    TrackerOptions options;
    options.max_width = max_width.value_or(like ? static_cast<int>(like->width) : options.max_width);
    options.max_height = max_height.value_or(like ? static_cast<int>(like->height) : options.max_height);
    options.smooth = smooth;
    options.smoothing = {min_cutoff_hz, beta, speed_cutoff_hz};
    options.reference_distance_m = reference_distance_m;
    options.lost_below_area = lost_below_area;
    options.min_confidence = min_confidence;
    return options;
  }
};

// "auto" is the GPU of an example frame that is on one.
Device device_for(nb::handle device, const Array* like) {
  if (like != nullptr && like->on_gpu() && nb::isinstance<nb::str>(device) &&
      nb::cast<std::string>(device) == "auto")
    return Device::cuda(like->ordinal());
  return device_of(device);
}

// What a calibration knows about the face: for a gate also its colours and, in frames of the same size, its
// box.
void use_calibration(TrackerOptions& options, const FaceCalibration& known, const std::optional<Box>& face,
                     const std::optional<FrameLayout>& like) {
  const int width = like ? static_cast<int>(like->width) : known.frame_width;
  const int height = like ? static_cast<int>(like->height) : known.frame_height;
  const bool same_size = width == known.frame_width && height == known.frame_height;
  options.reference_area = known.calibration.area;
  if (!options.gate) return;
  if (face || same_size) {
    options = options_for_face(known.calibration, face.value_or(known.face), width, height, options);
  } else {
    options.gate_by = known.calibration.colours;
  }
}

void make(Self* self, nb::handle classifier, nb::handle like, nb::handle face, nb::handle format,
          std::optional<Whole<"max_width">> max_width, std::optional<Whole<"max_height">> max_height,
          std::optional<bool> gate, nb::handle start, nb::handle gate_by, bool smooth, double min_cutoff_hz,
          double beta, double speed_cutoff_hz, std::optional<double> reference_area,
          double reference_distance_m, double lost_below_area, double min_confidence, nb::handle device) {
  const auto* const known =
      nb::isinstance<FaceCalibration>(classifier) ? nb::cast<const FaceCalibration*>(classifier) : nullptr;
  const Classifier by = classifier_of(classifier, "classifier");
  OptionalFormat frames = format_of(format);
  std::optional<Array> example;
  std::optional<FrameLayout> layout;
  if (!frames && known != nullptr) frames = known->format;
  if (!like.is_none()) layout = layout_of(example.emplace(like, "like"), frames);
  const Keywords keywords{max_width,       max_height,           smooth,          min_cutoff_hz, beta,
                          speed_cutoff_hz, reference_distance_m, lost_below_area, min_confidence};
  TrackerOptions options = keywords.options(layout);
  options.gate = gate.value_or(!face.is_none());
  std::optional<Box> box;
  if (!face.is_none()) {
    require(known != nullptr, "face: it needs a Calibration; with a classifier give gate=True and start=");
    require(options.gate, "face: it needs gate=True, which is the default with a face");
    box = box_of(face, "face");
  }
  if (known != nullptr) use_calibration(options, *known, box, layout);
  if (!start.is_none()) options.start = pixel_box_of(start, "start");
  if (!gate_by.is_none()) options.gate_by = classifier_of(gate_by, "gate_by");
  if (reference_area) options.reference_area = *reference_area;
  const Device where = device_for(device, example ? &*example : nullptr);
  std::optional<Tracker> tracker;
  compute([&] { tracker.emplace(by, options, where); });
  new (self) Self(FormatTracker(std::move(*tracker), frames));
}

Self* from_box(nb::handle frame, nb::handle face, nb::handle format,
               std::optional<Whole<"max_width">> max_width, std::optional<Whole<"max_height">> max_height,
               bool smooth, double min_cutoff_hz, double beta, double speed_cutoff_hz,
               double reference_distance_m, double lost_below_area, double min_confidence, nb::handle device,
               nb::handle stream) {
  const OptionalFormat frames = format_of(format);
  const Array array(frame, "frame", stream);
  const FrameLayout layout = layout_of(array, frames);
  const HostFrame host(array, frames);
  const Box box = box_of(face, "face");
  const Keywords keywords{max_width,       max_height,           smooth,          min_cutoff_hz, beta,
                          speed_cutoff_hz, reference_distance_m, lost_below_area, min_confidence};
  const TrackerOptions options = keywords.options(layout);
  const Device where = device_for(device, &array);
  std::optional<Tracker> tracker;
  compute([&] { tracker.emplace(Tracker::from_box(host.frame(), box, options, where)); });
  return new Self(FormatTracker(std::move(*tracker), frames));
}

// Calls function with the frame of an array, after the work that writes it.
template <class Function>
auto with_frame(Self& self, const Array& array, nb::handle format, Function&& function) {
  const FrameLayout layout = layout_of(array, format.is_none() ? self.get().format() : format_of(format));
  if (!array.on_gpu()) {
    const Frame frame = frame_of<Space::host>(array, layout);
    return compute(self.mutex(), [&] { return function(self.get(), frame); });
  }
  self.wait_for(array);
  const DeviceFrame frame = frame_of<Space::device>(array, layout);
  return compute(self.mutex(), [&] { return function(self.get(), frame); });
}

TrackedHead step(Self& self, nb::handle frame, double seconds, nb::handle format, nb::handle stream) {
  const Array array(frame, "frame", stream);
  return with_frame(self, array, format,
                    [&](Tracker& tracker, const auto& view) { return tracker.step(view, seconds); });
}

void submit(Self& self, nb::handle frame, double seconds, nb::handle format, nb::handle stream) {
  const Array array(frame, "frame", stream);
  with_frame(self, array, format, [&](Tracker& tracker, const auto& view) { tracker.submit(view, seconds); });
  self.keep(array.owner());
}

}  // namespace

void bind_tracker(nb::module_& m) {
  const TrackerOptions defaults;
  const OneEuroOptions smoothing;
  auto type = nb::class_<Self>(m, "Tracker", tracker_docs::class_doc);
  type.def(
          "__init__", &make, nb::arg("classifier").none(), nb::kw_only(), nb::arg("like") = nb::none(),
          nb::arg("face") = nb::none(), nb::arg("format") = nb::none(), nb::arg("max_width") = nb::none(),
          nb::arg("max_height") = nb::none(), nb::arg("gate") = nb::none(), nb::arg("start") = nb::none(),
          nb::arg("gate_by") = nb::none(), nb::arg("smooth") = defaults.smooth,
          nb::arg("min_cutoff_hz") = smoothing.min_cutoff_hz, nb::arg("beta") = smoothing.beta,
          nb::arg("speed_cutoff_hz") = smoothing.speed_cutoff_hz, nb::arg("reference_area") = nb::none(),
          nb::arg("reference_distance_m") = defaults.reference_distance_m,
          nb::arg("lost_below_area") = defaults.lost_below_area,
          nb::arg("min_confidence") = defaults.min_confidence, nb::arg("device") = "auto",
          nb::sig("def __init__(self, classifier: Classifier | Calibration, *, like: numpy.typing.ArrayLike "
                  "| None = None, face: collections.abc.Sequence[float] | numpy.ndarray | None = None, "
                  "format: str | None = None, max_width: int | None = None, max_height: int | None = None, "
                  "gate: bool | None = None, start: collections.abc.Sequence[int] | numpy.ndarray | None = "
                  "None, gate_by: Classifier | None = None, smooth: bool = False, min_cutoff_hz: float = "
                  "1.0, beta: float = 0.02, speed_cutoff_hz: float = 1.0, reference_area: float | None = "
                  "None, reference_distance_m: float = 0.6, lost_below_area: float = 0.0001, min_confidence: "
                  "float = 0.5, device: object = 'auto') -> None"),
          tracker_docs::init_doc)
      .def_static(
          "from_box", &from_box, nb::rv_policy::take_ownership, nb::arg("frame").none(),
          nb::arg("face").none(), nb::kw_only(), nb::arg("format") = nb::none(),
          nb::arg("max_width") = nb::none(), nb::arg("max_height") = nb::none(),
          nb::arg("smooth") = defaults.smooth, nb::arg("min_cutoff_hz") = smoothing.min_cutoff_hz,
          nb::arg("beta") = smoothing.beta, nb::arg("speed_cutoff_hz") = smoothing.speed_cutoff_hz,
          nb::arg("reference_distance_m") = defaults.reference_distance_m,
          nb::arg("lost_below_area") = defaults.lost_below_area,
          nb::arg("min_confidence") = defaults.min_confidence, nb::arg("device") = "auto",
          nb::arg("stream") = nb::none(),
          nb::sig("def from_box(frame: numpy.typing.ArrayLike, face: collections.abc.Sequence[float] | "
                  "numpy.ndarray, *, format: str | None = None, max_width: int | None = None, max_height: "
                  "int | None = None, smooth: bool = False, min_cutoff_hz: float = 1.0, beta: float = 0.02, "
                  "speed_cutoff_hz: float = 1.0, reference_distance_m: float = 0.6, lost_below_area: float = "
                  "0.0001, min_confidence: float = 0.5, device: object = 'auto', stream: object | None = "
                  "None) -> Tracker"),
          "Calibrates on the face in the first frame and follows it: calibrate(), then Tracker() with "
          "gate=True.\n\n"
          "frame: of the size of all frames, unless max_width and max_height are given; copied to the host "
          "when it is on a GPU.\n"
          "face: (x, y, width, height) in pixels. CalibrationError when the face cannot be separated from "
          "its "
          "surroundings.")
      .def("__call__", &step, nb::arg("frame").none(), nb::arg("seconds") = 1.0 / 30, nb::kw_only(),
           nb::arg("format") = nb::none(), nb::arg("stream") = nb::none(),
           nb::sig("def __call__(self, frame: numpy.typing.ArrayLike, seconds: float = 1 / 30, *, format: "
                   "str | None = None, stream: object | None = None) -> TrackedHead"),
           tracker_docs::step_doc)
      .def("submit", &submit, nb::arg("frame").none(), nb::arg("seconds") = 1.0 / 30, nb::kw_only(),
           nb::arg("format") = nb::none(), nb::arg("stream") = nb::none(),
           nb::sig("def submit(self, frame: numpy.typing.ArrayLike, seconds: float = 1 / 30, *, format: str "
                   "| None = None, stream: object | None = None) -> None"),
           tracker_docs::submit_doc)
      .def_prop_ro(
          "format",
          [](Self& self) -> std::optional<std::string> {
            const OptionalFormat format = self.get().format();
            return format ? std::optional(to_string(*format)) : std::nullopt;
          },
          "Of frames for which none is given; None: rgb or rgba.")
      .def_prop_ro(
          "gpu_rows", [](Self& self) { return self.get().gpu_rows(); },
          "Rows of the last frame that the GPU computed.");
  bind_frame_processor(type, "triptych.skin");
}

}  // namespace triptych::python
