// Fit and TrackedFace: results.
#include <triptych/aam_fit/face_tracker.hpp>

#include "aam.hpp"

namespace triptych::python {

using aam_fit::Fit;
using aam_fit::TrackedFace;
using aam_fit::TrackStatus;

namespace {

template <class Status>
Status status_of(nb::handle number, int count) {
  const int value = nb::cast<int>(number);
  require(value >= 0 && value < count, "the pickle of a result names status number ", value);
  return static_cast<Status>(value);
}
constexpr int fit_statuses = static_cast<int>(aam_fit::FitStatus::lost_no_face) + 1;
constexpr int track_statuses = static_cast<int>(TrackStatus::no_start) + 1;

nb::object landmarks_of(const Fit& fit) { return to_numpy(std::span(fit.landmarks)); }
nb::object parameters_of(const Fit& fit) { return to_numpy(fit.parameters, {fit.parameters.size()}); }

// All but the latency, which no two fits share. NaN equals itself.
bool is_same(const Fit& a, const Fit& b) {
  const auto same = [](double x, double y) { return x == y || (x != x && y != y); };
  return a.status == b.status && same(a.score, b.score) && same(a.confidence, b.confidence) &&
         same(a.error, b.error) && a.iterations == b.iterations && a.landmarks == b.landmarks &&
         a.parameters == b.parameters;
}

nb::tuple state_of(const Fit& self) {
  return nb::make_tuple(static_cast<int>(self.status), self.score, self.latency_us, landmarks_of(self),
                        parameters_of(self), self.error, self.iterations, self.confidence);
}
Fit fit_of_state(const nb::tuple& state) {
  Fit fit;
  fit.status = status_of<aam_fit::FitStatus>(state[0], fit_statuses);
  fit.score = nb::cast<double>(state[1]);
  fit.latency_us = nb::cast<double>(state[2]);
  const Array landmarks(state[3], "landmarks"), parameters(state[4], "parameters");
  landmarks.require_shape({-1, 2}, "landmarks");
  const double* const xy = landmarks.contiguous<double>();
  for (std::int64_t i = 0; i < landmarks.shape(0); ++i) fit.landmarks.push_back({xy[2 * i], xy[2 * i + 1]});
  const float* const values = parameters.contiguous<float>();
  fit.parameters.assign(values, values + parameters.size());
  fit.error = nb::cast<double>(state[5]);
  fit.iterations = nb::cast<int>(state[6]);
  fit.confidence = nb::cast<double>(state[7]);
  return fit;
}

std::string text_of_fit(const std::string& status, const Fit& fit) {
  return status + ", confidence=" + text_of(fit.confidence) + ", score=" + text_of(fit.score) +
         ", error=" + text_of(fit.error) + ", " + std::to_string(fit.landmarks.size()) + " landmarks";
}

constexpr const char* landmarks_signature = "def landmarks(self) -> numpy.typing.NDArray[numpy.float64]";

}  // namespace

void bind_aam_fit(nb::module_& m) {
  nb::class_<Fit>(m, "Fit", "The fit of a model to one face. Two are equal when all but latency_us is.")
      .def_prop_ro("found", &Fit::found,
                   "False when the fit was lost: the landmarks are then those of the level before it, or the "
                   "start; or, of\n"
                   "\"lost_no_face\", those of something else.")
      .def_prop_ro(
          "status", [](const Fit& self) { return to_string(self.status); },
          "\"converged\", \"no_improvement\" (no step lowered the error), \"out_of_iterations\", "
          "\"completed\" (a fixed\n"
          "number of steps was taken), \"lost_outside\" (the shape has left the image), \"lost_contrast\" "
          "(nothing\n"
          "there resembles the model) or \"lost_no_face\" (confidence is below min_confidence).")
      .def_ro("score", &Fit::score, "How well the model explains the image, 0 to 1; 0 when the fit is lost.")
      .def_ro("confidence", &Fit::confidence,
              "The probability that the fit is on a face, 0 to 1: its landmarks by less than 0.1 of the "
              "face's size\n"
              "from the true ones on average. As many faces as other things are assumed.")
      .def_prop_ro(
          "reason", [](const Fit& self) { return reason(self); },
          "Why the face was not found, and what to do; empty when it was found.")
      .def_prop_ro("landmarks", &landmarks_of, nb::sig(landmarks_signature),
                   "(points, 2) float64, (x, y) in the image's pixels: a copy.")
      .def_ro("error", &Fit::error,
              "Squared residual per sample of the finest level; infinite without contrast.")
      .def_ro("iterations", &Fit::iterations, "Steps of all levels.")
      .def_prop_ro("parameters", &parameters_of,
                   nb::sig("def parameters(self) -> numpy.typing.NDArray[numpy.float32]"),
                   "Of the finest level: c, then sx, sy, tx, ty; float32.")
      .def_ro("latency_us", &Fit::latency_us, "From the call to the result, in microseconds.")
      .def(
          "__eq__",
          [](const Fit& self, nb::handle other) {
            return nb::isinstance<Fit>(other) && is_same(self, nb::cast<const Fit&>(other));
          },
          nb::arg("other").none())
      .def(
          "__array__",
          [](const Fit& self, nb::handle dtype, nb::handle copy) {
            require(!copy.is(nb::handle(Py_False)), "copy: the landmarks of a fit are always copied");
            const nb::object array = landmarks_of(self);
            return dtype.is_none() ? array : nb::object(array.attr("astype")(dtype));
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) -> "
              "numpy.typing.NDArray[numpy.float64]"),
          "The landmarks.")
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Fit& self, const nb::tuple& state) { new (&self) Fit(fit_of_state(state)); })
      .def("__repr__",
           [](const Fit& self) { return "<Fit: " + text_of_fit(to_string(self.status), self) + ">"; });

  nb::class_<TrackedFace>(m, "TrackedFace",
                          "A face in one frame of a video. Two are equal when all but latency_us is.")
      .def_prop_ro("found", &TrackedFace::found, "Whether the fit is the face: tracked or restarted.")
      .def_prop_ro(
          "status", [](const TrackedFace& self) { return to_string(self.status); },
          "\"tracked\" (from the frame before), \"restarted\" (from a box), \"lost\" (a fit was made, but it "
          "is not the\n"
          "face) or \"no_start\" (there was neither a shape nor a box to start from).")
      .def_ro("score", &TrackedFace::score, "Of the fit, 0 to 1.")
      .def_ro("confidence", &TrackedFace::confidence, "Of the fit, 0 to 1.")
      .def_prop_ro(
          "reason", [](const TrackedFace& self) { return reason(self); },
          "Why the face was not found, and what to do; empty when it was found.")
      .def_prop_ro(
          "landmarks", [](const TrackedFace& self) { return landmarks_of(self.fit); },
          nb::sig(landmarks_signature),
          "Of the fit: (points, 2) float64, in pixels; (0, 2) when there was no start.")
      .def_prop_ro(
          "error", [](const TrackedFace& self) { return self.fit.error; }, "Of the fit.")
      .def_ro("fit", &TrackedFace::fit, "The Fit; without landmarks when there was no start.")
      .def_ro("latency_us", &TrackedFace::latency_us, "From the call to the result, in microseconds.")
      .def(
          "__eq__",
          [](const TrackedFace& self, nb::handle other) {
            if (!nb::isinstance<TrackedFace>(other)) return false;
            const auto& that = nb::cast<const TrackedFace&>(other);
            return self.status == that.status && is_same(self.fit, that.fit);
          },
          nb::arg("other").none())
      .def("__getstate__",
           [](const TrackedFace& self) {
             return nb::make_tuple(static_cast<int>(self.status), self.score, self.latency_us,
                                   state_of(self.fit));
           })
      .def("__setstate__",
           [](TrackedFace& self, const nb::tuple& state) {
             TrackedFace made;
             made.status = status_of<TrackStatus>(state[0], track_statuses);
             made.score = nb::cast<double>(state[1]);
             made.latency_us = nb::cast<double>(state[2]);
             made.fit = fit_of_state(nb::borrow<nb::tuple>(state[3]));
             made.confidence = made.fit.confidence;
             new (&self) TrackedFace(std::move(made));
           })
      .def("__repr__", [](const TrackedFace& self) {
        return "<TrackedFace: " + text_of_fit(to_string(self.status), self.fit) + ">";
      });
}

}  // namespace triptych::python
