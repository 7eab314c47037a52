#include <triptych/core/device.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "arrays.hpp"
#include "streams.hpp"

namespace triptych::python {

namespace {

CUstream_st* handle_of(std::uintptr_t handle) { return reinterpret_cast<CUstream_st*>(handle); }

}  // namespace

std::optional<CUstream_st*> stream_of(nb::handle stream) {
  if (stream.is_none()) return std::nullopt;
  if (nb::isinstance<nb::int_>(stream)) {
    const auto handle = nb::cast<std::intptr_t>(stream);
    require(handle >= 0, "stream: ", handle, " is not a CUDA stream");
    return handle_of(static_cast<std::uintptr_t>(handle));
  }
  for (const char* name : {"cuda_stream", "ptr"})  // torch, CuPy
    if (nb::hasattr(stream, name)) return handle_of(nb::cast<std::uintptr_t>(stream.attr(name)));
  if (nb::hasattr(stream, "__cuda_stream__"))  // (version, handle)
    return handle_of(nb::cast<std::uintptr_t>(stream.attr("__cuda_stream__")()[1]));
  throw InvalidArgument(
      "stream: a " + type_text(stream) +
      " is not a CUDA stream; give its handle as an integer, a torch.cuda.Stream or a cupy.cuda.Stream");
}

CUstream_st* current_stream_of(nb::handle array, const char* argument) {
  const std::string library = library_of(array);
  if (library == "torch")
    return handle_of(nb::cast<std::uintptr_t>(nb::module_::import_("torch")
                                                  .attr("cuda")
                                                  .attr("current_stream")(array.attr("device"))
                                                  .attr("cuda_stream")));
  if (library == "cupy")
    return handle_of(nb::cast<std::uintptr_t>(
        nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")().attr("ptr")));
  throw InvalidArgument(std::string(argument) + ": the current stream of a " + type_text(array) +
                        " is not known; give it as stream=");
}

StreamRef import_stream(int ordinal) {
  // Never destroyed: at exit the CUDA runtime may be gone before.
  static std::mutex& mutex = *new std::mutex;
  static auto& streams = *new std::map<int, Stream>;
  const std::lock_guard lock(mutex);
  auto at = streams.find(ordinal);
  if (at == streams.end()) {
    const DeviceGuard guard(Device::cuda(ordinal));
    at = streams.emplace(ordinal, Stream()).first;
  }
  return at->second.ref();
}

}  // namespace triptych::python
