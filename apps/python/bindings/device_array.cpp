#include <triptych/core/error.hpp>

#include <nanobind/stl/string.h>

#include <numeric>
#include <string>

#include "arrays.hpp"
#include "bind.hpp"
#include "compute.hpp"
#include "device_array.hpp"
#include "streams.hpp"

namespace triptych::python {

namespace {

std::int64_t bytes_of(nb::dlpack::dtype type, const std::vector<std::size_t>& shape) {
  return static_cast<std::int64_t>(
      std::accumulate(shape.begin(), shape.end(), std::size_t{type.bits} / 8, std::multiplies<>()));
}

std::string interface_type(nb::dlpack::dtype type) {
  const char kind = static_cast<nb::dlpack::dtype_code>(type.code) == nb::dlpack::dtype_code::Float ? 'f'
                    : static_cast<nb::dlpack::dtype_code>(type.code) == nb::dlpack::dtype_code::Int ? 'i'
                                                                                                    : 'u';
  return std::string("<") + kind + std::to_string(type.bits / 8);
}

}  // namespace

DeviceArray::DeviceArray(nb::dlpack::dtype type, std::vector<std::size_t> shape, int ordinal)
    : type_(type), shape_(std::move(shape)), ordinal_(ordinal) {
  const DeviceGuard guard(ordinal);
  memory_ = std::make_shared<DeviceBuffer<std::byte>>(bytes_of(type_, shape_));
  filled_ = std::make_shared<Event>(Timing::off);
}

void DeviceArray::filled_on(StreamRef stream) {
  stream_ = stream.get();
  filled_->record(stream);
}

nb::object DeviceArray::dlpack(nb::handle stream) const {
  // The legacy default stream is 1 in DLPack, and a valid handle of that number.
  const std::int64_t wanted = stream.is_none() ? 1 : nb::cast<std::int64_t>(stream);
  require(wanted != 0,
          "stream: 0 is ambiguous in DLPack; 1 is the legacy default stream, 2 that of the thread");
  if (wanted > 0) {
    const DeviceGuard guard(ordinal_);
    StreamRef(reinterpret_cast<CUstream_st*>(static_cast<std::uintptr_t>(wanted))).wait(*filled_);
  }
  auto* const kept = new std::shared_ptr<DeviceBuffer<std::byte>>(memory_);
  nb::capsule owner(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<DeviceBuffer<std::byte>>*>(p); });
  // An array of no library is cast to a DLPack capsule.
  return nb::cast(nb::ndarray<>(memory_->data(), shape_.size(), shape_.data(), owner, nullptr, type_,
                                nb::device::cuda::value, ordinal_));
}

nb::dict DeviceArray::cuda_array_interface() const {
  nb::list shape;
  for (const std::size_t size : shape_) shape.append(size);
  nb::dict fields;
  fields["shape"] = nb::tuple(shape);
  fields["typestr"] = interface_type(type_);
  fields["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(memory_->data()), false);
  fields["version"] = 3;
  if (stream_ == nullptr) {
    fields["stream"] = 1;
  } else {
    fields["stream"] = reinterpret_cast<std::uintptr_t>(stream_);
  }
  return fields;
}

nb::object DeviceArray::numpy() const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(memory_->size_bytes()));
  compute([&] {
    const DeviceGuard guard(ordinal_);
    const StreamRef stream = import_stream(ordinal_);
    stream.wait(*filled_);
    copy_to_host(DeviceSpan<const std::byte>(memory_->data(), memory_->size()), std::span(bytes), stream);
    stream.synchronize();
  });
  auto* const kept = new std::vector<std::byte>(std::move(bytes));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::byte>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy>(kept->data(), shape_.size(), shape_.data(), owner, nullptr, type_));
}

void bind_device_array(nb::module_& m) {
  nb::class_<DeviceArray>(m, "DeviceArray",
                          "A result in GPU memory.\n\n"
                          "torch.from_dlpack(a), cupy.from_dlpack(a) and jax.dlpack.from_dlpack(a) take it "
                          "over without a copy, after the work\n"
                          "that fills it; a.numpy() waits for that work and copies it to the host.")
      .def(
          "__dlpack__",
          [](const DeviceArray& self, nb::handle stream, nb::handle, nb::handle, nb::handle copy) {
            require(copy.is_none() || !nb::cast<bool>(copy), "copy: this array is exported without a copy");
            return self.dlpack(stream);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
          "A DLPack capsule; work enqueued later on `stream` waits for the values.")
      .def(
          "__dlpack_device__",
          [](const DeviceArray& self) { return nb::make_tuple(nb::device::cuda::value, self.ordinal()); },
          "(2, number of the GPU)")
      .def_prop_ro("__cuda_array_interface__", &DeviceArray::cuda_array_interface)
      .def("numpy", &DeviceArray::numpy, "A copy in host memory, as a NumPy array.")
      .def_prop_ro("shape",
                   [](const DeviceArray& self) {
                     nb::list shape;
                     for (const std::size_t size : self.shape()) shape.append(size);
                     return nb::tuple(shape);
                   })
      .def_prop_ro("device", [](const DeviceArray& self) { return "cuda:" + std::to_string(self.ordinal()); })
      .def("__repr__", [](const DeviceArray& self) {
        std::string text = "DeviceArray(" + interface_type(self.type()).substr(1) + ", shape=(";
        for (const std::size_t size : self.shape()) text += std::to_string(size) + ",";
        return text + "), device='cuda:" + std::to_string(self.ordinal()) + "')";
      });
}

}  // namespace triptych::python
