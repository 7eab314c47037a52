// Estimate and PointCount.
#include <nanobind/stl/string.h>

#include <bit>
#include <cstring>

#include "estimate.hpp"
#include "point_count.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

using Covariance = std::array<float, 6>;

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same(const cl::PointCount& a, const cl::PointCount& b) {
  return a.used == b.used && a.not_finite == b.not_finite && a.not_in_front == b.not_in_front;
}

bool same(const cl::Evidence& a, const cl::Evidence& b) {
  return same_bits(a.on_body, b.on_body) && same_bits(a.near_on_body, b.near_on_body) &&
         same_bits(a.body_seen, b.body_seen) && same_bits(a.way, b.way);
}

// Whole 3 x 3 matrices, of xx xy xz yy yz zz.
nb::object covariances(const cl::Estimate& self) {
  constexpr std::size_t from[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  std::vector<float> values;
  values.reserve(9 * self.covariances.size());
  for (const Covariance& c : self.covariances)
    for (const std::size_t i : from) values.push_back(c[i]);
  return to_numpy(std::move(values), {self.covariances.size(), 3, 3});
}

nb::tuple state_of(const cl::Estimate& self) {
  const cl::Evidence& e = self.evidence;
  return nb::make_tuple(static_cast<int>(self.status), self.score, self.latency_us, to_bytes(self.pose),
                        to_bytes(self.joints), to_bytes(self.covariances), self.effective_samples,
                        self.log_likelihood, self.points.used, self.points.not_finite,
                        self.points.not_in_front, self.confidence,
                        nb::make_tuple(e.on_body, e.near_on_body, e.body_seen, e.way));
}
cl::Evidence evidence_of(const nb::tuple& state) {
  return {nb::cast<double>(state[0]), nb::cast<double>(state[1]), nb::cast<double>(state[2]),
          nb::cast<double>(state[3])};
}
cl::Estimate estimate_of(const nb::tuple& state) {
  cl::Estimate estimate;
  estimate.status = static_cast<cl::FilterStatus>(nb::cast<int>(state[0]));
  estimate.score = nb::cast<double>(state[1]);
  estimate.latency_us = nb::cast<double>(state[2]);
  estimate.pose = from_bytes<float>(state[3]);
  estimate.joints = from_bytes<cl::Vec3>(state[4]);
  estimate.covariances = from_bytes<Covariance>(state[5]);
  estimate.effective_samples = nb::cast<double>(state[6]);
  estimate.log_likelihood = nb::cast<double>(state[7]);
  estimate.points = {nb::cast<std::int64_t>(state[8]), nb::cast<std::int64_t>(state[9]),
                     nb::cast<std::int64_t>(state[10])};
  estimate.confidence = nb::cast<double>(state[11]);
  estimate.evidence = evidence_of(nb::cast<nb::tuple>(state[12]));
  return estimate;
}

void bind_point_count(nb::module_& m) {
  auto type = nb::class_<cl::PointCount>(m, "PointCount", "Numbers of the points of a cloud.");
  type.def_ro("used", &cl::PointCount::used)
      .def_ro("not_finite", &cl::PointCount::not_finite, "Dropped: not finite, or farther than 1000 km.")
      .def_ro("not_in_front", &cl::PointCount::not_in_front, "Dropped: not in front of the camera.")
      .def("__getstate__",
           [](const cl::PointCount& self) {
             return nb::make_tuple(self.used, self.not_finite, self.not_in_front);
           })
      .def("__setstate__",
           [](cl::PointCount& self, const nb::tuple& state) {
             new (&self) cl::PointCount{nb::cast<std::int64_t>(state[0]), nb::cast<std::int64_t>(state[1]),
                                        nb::cast<std::int64_t>(state[2])};
           })
      .def("__repr__", [](const cl::PointCount& self) { return "<PointCount: " + text_of(self) + ">"; });
  bind_equality(type, [](const cl::PointCount& a, const cl::PointCount& b) { return same(a, b); });
}

void bind_evidence(nb::module_& m) {
  auto type = nb::class_<cl::Evidence>(
      m, "Evidence",
      "How a body in its estimated pose agrees with 512 points of the cloud. Lengths are for a body of\n"
      "1.75 m: those of other bodies are in proportion to their size.");
  type.def_ro("on_body", &cl::Evidence::on_body, "Share of the points within 3 cm of the body's surface.")
      .def_ro("near_on_body", &cl::Evidence::near_on_body, "The same of the points within 30 cm of the body.")
      .def_ro("body_seen", &cl::Evidence::body_seen,
              "Share of the body's side towards the camera where a point lies at it or before it.")
      .def_ro("way", &cl::Evidence::way,
              "Since find(): the probability that the body looks the way that find() has chosen, not the\n"
              "other way round. 1 since start().")
      .def("__getstate__",
           [](const cl::Evidence& self) {
             return nb::make_tuple(self.on_body, self.near_on_body, self.body_seen, self.way);
           })
      .def("__setstate__",
           [](cl::Evidence& self, const nb::tuple& state) { new (&self) cl::Evidence(evidence_of(state)); })
      .def("__repr__", [](const cl::Evidence& self) {
        return "<Evidence: on_body=" + python::text_of(self.on_body) +
               ", near_on_body=" + python::text_of(self.near_on_body) +
               ", body_seen=" + python::text_of(self.body_seen) + ", way=" + python::text_of(self.way) + ">";
      });
  bind_equality(type, [](const cl::Evidence& a, const cl::Evidence& b) { return same(a, b); });
}

}  // namespace

bool same(const cl::Estimate& a, const cl::Estimate& b) {
  return a.status == b.status && same_bits(a.score, b.score) && same_bits(a.confidence, b.confidence) &&
         same(a.evidence, b.evidence) && same_bytes(a.pose, b.pose) && same_bytes(a.joints, b.joints) &&
         same_bytes(a.covariances, b.covariances) && same_bits(a.effective_samples, b.effective_samples) &&
         same_bits(a.log_likelihood, b.log_likelihood) && same(a.points, b.points);
}

void bind_estimate(nb::module_& m) {
  bind_point_count(m);
  bind_evidence(m);
  auto type = nb::class_<cl::Estimate>(
      m, "Estimate",
      "The pose that a ParticleFilter found in a cloud. a == b compares all bits but latency_us.");
  type.def_prop_ro("found", &cl::Estimate::found, "Whether the status is \"tracking\".")
      .def_prop_ro(
          "status", [](const cl::Estimate& self) { return to_string(self.status); },
          "\"tracking\"; \"lost\": the body explains too little of the cloud (score below min_score), or no "
          "point was usable; or \"uncertain\": the confidence is below min_confidence.")
      .def_ro("confidence", &cl::Estimate::confidence,
              "The probability, 0 to 1, that the mean error of the joints is below 0.1 m. Calibrated on "
              "people.")
      .def_prop_ro(
          "reason", [](const cl::Estimate& self) { return cl::reason(self); },
          "What is wrong and what to do, a sentence; empty when found.")
      .def_ro("evidence", &cl::Estimate::evidence, "What the confidence follows from, an Evidence.")
      .def_ro("score", &cl::Estimate::score,
              "The share of the data that the best sample explains, 0 to 1. Points of the background count "
              "as not explained.")
      .def_prop_ro(
          "pose",
          [](const cl::Estimate& self) { return FloatArray(to_numpy(self.pose, {self.pose.size()})); },
          "(pose_size,) float32: the weighted mean of the samples.")
      .def_prop_ro(
          "joints", [](const cl::Estimate& self) { return FloatArray(numpy_of(self.joints)); },
          "(joints, 3) float32: the positions of the joints in that pose, metres.")
      .def_prop_ro(
          "covariances", [](const cl::Estimate& self) { return FloatArray(covariances(self)); },
          "(joints, 3, 3) float32: the covariance of each joint's position over the samples, m^2.")
      .def_prop_ro(
          "covariance", [](const cl::Estimate& self) { return FloatArray(covariances(self)); },
          "The same as covariances.")
      .def_ro("points", &cl::Estimate::points,
              "Numbers of the points that were used and dropped, a PointCount.")
      .def_ro("effective_samples", &cl::Estimate::effective_samples)
      .def_ro("log_likelihood", &cl::Estimate::log_likelihood, "Of the best sample of the last layer.")
      .def_ro("latency_us", &cl::Estimate::latency_us,
              "From submit() or the call to the result, microseconds.")
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](cl::Estimate& self, const nb::tuple& state) { new (&self) cl::Estimate(estimate_of(state)); })
      .def("__repr__", [](const cl::Estimate& self) {
        return "<Estimate: " + to_string(self.status) + ", confidence=" + python::text_of(self.confidence) +
               ", score=" + python::text_of(self.score) + ", " + std::to_string(self.joints.size()) +
               " joints, " + text_of(self.points) + ">";
      });
  bind_equality(type, [](const cl::Estimate& a, const cl::Estimate& b) { return same(a, b); });
}

}  // namespace triptych::python::capsule
