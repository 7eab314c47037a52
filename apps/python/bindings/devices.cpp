#include <triptych/core/error.hpp>
#include <triptych/core/latency.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <charconv>
#include <string>

#include "arrays.hpp"
#include "bind.hpp"
#include "devices.hpp"

namespace triptych::python {

Device device_of(nb::handle device) {
  const std::string text = nb::cast<std::string>(nb::str(device));
  if (text == "auto") return Device::best();
  if (text.starts_with("cpu:")) {
    int threads = 0;
    const char* const end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data() + 4, end, threads);
    require(problem == std::errc() && at == end && threads > 0, "device: '", text,
            "' does not end with a number of threads; say for example cpu:4");
    return Device::cpu(threads);
  }
  try {
    return Device::parse(text);
  } catch (const InvalidArgument&) {
    throw InvalidArgument("device: '" + text +
                          "' is none of auto, cpu, cpu:4, cuda, cuda:1, cuda:0,1 and joint");
  }
}

std::string name_of(const Device& device) {
  if (device.kind() == DeviceKind::cpu) return "cpu";
  if (device.kind() == DeviceKind::joint) return "joint";
  std::string name = "cuda";
  for (const int ordinal : device.ordinals()) {
    name += name == "cuda" ? ':' : ',';
    name += std::to_string(ordinal);
  }
  return name;
}

void bind_devices(nb::module_& m) {
  nb::class_<Latency>(m, "Latency",
                      "Times from an input to its result, in microseconds; all 0 before the first frame.")
      .def_ro("frames", &Latency::frames)
      .def_ro("median_us", &Latency::median_us)
      .def_ro("p90_us", &Latency::p90_us)
      .def_ro("p99_us", &Latency::p99_us)
      .def_ro("max_us", &Latency::max_us)
      .def_ro("mean_us", &Latency::mean_us)
      .def("__repr__", [](const Latency& self) {
        return "Latency(frames=" + std::to_string(self.frames) + ", median_us=" + text_of(self.median_us) +
               ", p99_us=" + text_of(self.p99_us) + ", max_us=" + text_of(self.max_us) + ")";
      });
  m.def("built_with_cuda", &built_with_cuda, "Whether this build has GPU code.");
  m.def(
      "cuda_available", [] { return cuda_device_count() > 0; }, "Whether there is a GPU that can be used.");
  m.def("cuda_unavailable_reason", &cuda_unavailable_reason,
        "Why cuda_available() is false, as one sentence; empty when it is true.");
  m.def(
      "devices",
      [] {
        std::vector<std::string> names = {"cpu"};
        for (int i = 0; i < cuda_device_count(); ++i) names.push_back("cuda:" + std::to_string(i));
        return names;
      },
      "The names of the devices of this machine, for the argument `device`.");
  m.def(
      "describe_device", [](nb::handle device) { return device_of(device).describe(); },
      nb::arg("device") = "auto", "One line about a device: its name, cores and memory.");
}

}  // namespace triptych::python
