// DeviceArray: a result in GPU memory that other libraries take over without a copy, by __dlpack__ or
// __cuda_array_interface__.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/stream.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace triptych::python {

namespace nb = nanobind;

class DeviceArray {
 public:
  // Memory for an array of that type and shape, on that GPU.
  DeviceArray(nb::dlpack::dtype type, std::vector<std::size_t> shape, int ordinal);

  template <class T>
  T* data() {
    return reinterpret_cast<T*>(memory_->data());
  }
  // To be called after the work that fills the array was enqueued.
  void filled_on(StreamRef stream);

  nb::dlpack::dtype type() const { return type_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  int ordinal() const { return ordinal_; }

  // A DLPack capsule. Work that is enqueued later on `stream` (a handle; 1 and None: the legacy default
  // stream; -1: no order is wanted) waits for the values.
  nb::object dlpack(nb::handle stream) const;
  nb::dict cuda_array_interface() const;
  nb::object numpy() const;  // waits, and copies

 private:
  nb::dlpack::dtype type_;
  std::vector<std::size_t> shape_;
  int ordinal_;
  std::shared_ptr<DeviceBuffer<std::byte>> memory_;
  std::shared_ptr<Event> filled_;
  CUstream_st* stream_ = nullptr;
};

}  // namespace triptych::python
