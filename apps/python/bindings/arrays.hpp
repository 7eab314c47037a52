// Arrays that come from Python: anything with __dlpack__, the buffer protocol, __array__ or
// __cuda_array_interface__, on the host or on a GPU, read without a copy. And results that go back as NumPy
// arrays.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/stream.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace triptych::python {

namespace nb = nanobind;

std::string type_text(nb::handle object);   // "torch.Tensor"
std::string library_of(nb::handle object);  // "torch"
std::string text_of(double number);         // as Python writes it

// An argument that was imported. It keeps the memory alive.
class Array {
 public:
  // Reads the argument. On a GPU, its producer makes import_stream() wait for the data; see record_ready().
  // stream: when given, the data is ordered on that stream instead, and the producer is not asked.
  // InvalidArgument, which names the argument, when it is not an array.
  Array(nb::handle object, const char* argument, nb::handle stream = nb::none());

  bool on_gpu() const { return ordinal_ >= 0; }
  int ordinal() const { return ordinal_; }
  int ndim() const { return static_cast<int>(array_.ndim()); }
  std::int64_t shape(int axis) const {
    return static_cast<std::int64_t>(array_.shape(static_cast<std::size_t>(axis)));
  }
  std::int64_t stride(int axis) const {
    return array_.stride(static_cast<std::size_t>(axis));
  }  // in elements
  std::int64_t size() const { return static_cast<std::int64_t>(array_.size()); }
  const void* data() const { return array_.data(); }
  nb::dlpack::dtype dtype() const { return array_.dtype(); }
  template <class T>
  bool is() const {
    return array_.dtype() == nb::dtype<T>();
  }
  bool is_contiguous() const;  // in C order
  const char* argument() const { return argument_.c_str(); }
  std::string describe() const;  // "float32 of shape (480, 640) on cuda:0"

  // The elements, one after the other in C order.
  template <class T>
  const T* contiguous() const {
    require_type<T>();
    require(is_contiguous(), argument_,
            ": the array must be contiguous in C order; see numpy.ascontiguousarray or .contiguous()");
    return static_cast<const T*>(array_.data());
  }
  template <class T>
  void require_type() const {
    if (!is<T>())
      throw InvalidArgument(argument_ + ": expected " + type_of(nb::dtype<T>()) + ", not " + describe());
  }
  // InvalidArgument unless the array has these sizes; -1 stands for any.
  void require_shape(std::initializer_list<std::int64_t> sizes, const char* what) const;
  // InvalidArgument unless the array is on the host, or on the GPU of that device.
  void require_on(const Device& device) const;
  void require_on_host() const;

  // Records the point after which the data of a GPU array can be read.
  void record_ready(Event& event) const;
  nb::object owner() const { return owner_; }

 private:
  static std::string type_of(nb::dlpack::dtype type);

  std::string argument_;
  nb::ndarray<nb::ro> array_;
  nb::object owner_;
  int ordinal_ = -1;
  CUstream_st* ready_on_ = nullptr;
};

// A host array of T in C order: the argument itself, or a converted copy of a list, of numbers of another
// type or of strided numbers. Arrays on a GPU are not converted: InvalidArgument.
template <class T>
Array host_array(nb::handle object, const char* argument);
extern template Array host_array<float>(nb::handle, const char*);
extern template Array host_array<double>(nb::handle, const char*);

// A NumPy array that owns its values.
template <class T>
nb::object to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* const kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

// A NumPy array of `shape` over floats that a struct consists of, such as Vec3: a copy.
template <class T, class S>
nb::object to_numpy_of(const S* values, std::size_t count, std::initializer_list<std::size_t> shape) {
  static_assert(sizeof(S) % sizeof(T) == 0);
  const T* const first = reinterpret_cast<const T*>(values);
  return to_numpy(std::vector<T>(first, first + count * (sizeof(S) / sizeof(T))), shape);
}

}  // namespace triptych::python
