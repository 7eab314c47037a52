#include "../device_array.hpp"
#include "../streams.hpp"
#include "stream_order.hpp"

namespace triptych::python::capsule {

namespace {

nb::object handle_of(StreamRef stream) { return nb::cast(reinterpret_cast<std::uintptr_t>(stream.get())); }

}  // namespace

bool is_on_gpu(nb::handle object) {
  if (nb::isinstance<DeviceArray>(object)) return true;
  if (nb::hasattr(object, "__dlpack_device__")) {
    const auto kind = nb::cast<long>(object.attr("__dlpack_device__")()[0]);
    return kind == 2 || kind == 13;
  }
  return nb::hasattr(object, "__cuda_array_interface__");
}

StreamRef stream_for(nb::handle stream, std::initializer_list<Argument> arguments) {
  if (const auto given = stream_of(stream)) return StreamRef(*given);
  for (const Argument& argument : arguments) {
    const std::string library = library_of(argument.object);
    if (library == "torch" || library == "cupy")
      return StreamRef(current_stream_of(argument.object, argument.name));
  }
  for (const Argument& argument : arguments)
    if (nb::isinstance<DeviceArray>(argument.object)) {
      const nb::dict fields = nb::cast<const DeviceArray&>(argument.object).cuda_array_interface();
      const auto handle = nb::cast<std::uintptr_t>(fields["stream"]);
      return StreamRef(handle == 1 ? nullptr : reinterpret_cast<CUstream_st*>(handle));
    }
  const Argument& first = *arguments.begin();
  return StreamRef(current_stream_of(first.object, first.name));
}

Array array_on(StreamRef stream, nb::handle object, const char* argument) {
  if (nb::isinstance<DeviceArray>(object)) {
    // 1 is DLPack's number of the legacy default stream.
    const nb::object consumer = stream.get() == nullptr ? nb::cast(1) : handle_of(stream);
    nb::cast<const DeviceArray&>(object).dlpack(consumer);
  }
  return Array(object, argument, handle_of(stream));
}

}  // namespace triptych::python::capsule
