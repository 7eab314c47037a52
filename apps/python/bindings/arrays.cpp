#include <triptych/core/device_guard.hpp>

#include <nanobind/stl/string.h>

#include <atomic>

#include "arrays.hpp"

#if TRIPTYCH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include "streams.hpp"

namespace triptych::python {

namespace {

// DLPack's numbers of the kinds of memory.
constexpr int dl_cuda = 2, dl_cuda_managed = 13;

// numpy.ndarray, once NumPy has been imported by anyone.
bool is_numpy(nb::handle object) {
  static std::atomic<PyObject*> known = nullptr;
  PyObject* type = known.load(std::memory_order_acquire);
  if (type == nullptr) {
    const nb::dict modules = nb::module_::import_("sys").attr("modules");
    if (!modules.contains("numpy")) return false;
    type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
    known.store(type, std::memory_order_release);
  }
  return object.type().ptr() == type;
}

// The GPU that holds the memory at an address.
int ordinal_of_memory([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] const char* argument) {
#if TRIPTYCH_HAS_CUDA
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(address)) == cudaSuccess &&
      attributes.device >= 0)
    return attributes.device;
  throw InvalidArgument(std::string(argument) +
                        ": its __cuda_array_interface__ names memory that is on no GPU");
#else
  throw_cuda_unavailable(argument);
#endif
}

nb::dlpack::dtype type_of_string(const std::string& type, const char* argument) {
  require(type.size() >= 3 && (type[0] == '<' || type[0] == '|'), argument, ": '", type,
          "' is not a type of little-endian numbers");
  const int bytes = std::stoi(type.substr(2));
  const auto code = type[1] == 'f'   ? nb::dlpack::dtype_code::Float
                    : type[1] == 'i' ? nb::dlpack::dtype_code::Int
                    : type[1] == 'u' ? nb::dlpack::dtype_code::UInt
                                     : nb::dlpack::dtype_code::Bool;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes), 1};
}

// From __cuda_array_interface__, for libraries without DLPack such as Numba.
nb::ndarray<nb::ro> from_cuda_interface(nb::handle object, const char* argument, int& ordinal,
                                        CUstream_st*& ready_on) {
  const nb::dict fields = object.attr("__cuda_array_interface__");
  const nb::tuple shape_tuple = fields["shape"];
  const auto type = type_of_string(nb::cast<std::string>(fields["typestr"]), argument);
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides;
  for (const nb::handle size : shape_tuple) shape.push_back(nb::cast<std::size_t>(size));
  if (fields.contains("strides") && !fields["strides"].is_none())
    for (const nb::handle bytes : nb::tuple(fields["strides"]))
      strides.push_back(nb::cast<std::int64_t>(bytes) * 8 / type.bits);
  const nb::tuple data = fields["data"];
  ordinal = ordinal_of_memory(nb::cast<std::uintptr_t>(data[0]), argument);
  if (fields.contains("stream") && !fields["stream"].is_none())
    ready_on = stream_of(fields["stream"]).value();
  return nb::ndarray<nb::ro>(reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(data[0])), shape.size(),
                             shape.data(), object, strides.empty() ? nullptr : strides.data(), type,
                             nb::device::cuda::value, ordinal);
}

}  // namespace

std::string type_text(nb::handle object) {
  const nb::handle type = object.type();
  const std::string library = library_of(object), name = nb::cast<std::string>(type.attr("__name__"));
  return library == "builtins" ? name : library + "." + name;
}

std::string text_of(double number) { return nb::cast<std::string>(nb::repr(nb::float_(number))); }

std::string library_of(nb::handle object) {
  const std::string module = nb::cast<std::string>(nb::str(object.type().attr("__module__")));
  return module.substr(0, module.find('.'));
}

Array::Array(nb::handle object, const char* argument, nb::handle stream)
    : argument_(argument), owner_(nb::borrow(object)) {
  const auto given = stream_of(stream);
  if (!is_numpy(object)) {
    int kind = 0, number = -1;
    if (nb::hasattr(object, "__dlpack_device__")) {
      const nb::object place = object.attr("__dlpack_device__")();
      kind = static_cast<int>(nb::cast<long>(place[0]));
      number = nb::cast<int>(place[1]);
    } else if (nb::hasattr(object, "__cuda_array_interface__")) {
      CUstream_st* ready_on = nullptr;
      array_ = from_cuda_interface(object, argument, ordinal_, ready_on);
      ready_on_ = given ? *given : ready_on;
      return;
    }
    if (kind == dl_cuda || kind == dl_cuda_managed) {
      ordinal_ = number;
      // -1: the producer does nothing, because the data is ordered on the stream that the caller named.
      const StreamRef ours = given ? StreamRef(*given) : import_stream(number);
      const auto consumer =
          given ? -1 : static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(ours.get()));
      ready_on_ = ours.get();
      const nb::object capsule = object.attr("__dlpack__")(nb::arg("stream") = consumer);
      if (!nb::try_cast(capsule, array_, false))
        throw InvalidArgument(argument_ + ": the memory of a " + type_text(object) + " cannot be read");
      return;
    }
  }
  if (nb::try_cast(object, array_, false)) return;
  if (nb::hasattr(object, "__array__")) {
    owner_ = nb::module_::import_("numpy").attr("asarray")(object);
    if (nb::try_cast(owner_, array_, false)) return;
  }
  throw InvalidArgument(
      argument_ +
      ": expected an array (NumPy, torch, CuPy, or anything with __dlpack__ or the buffer protocol), not a " +
      type_text(object));
}

bool Array::is_contiguous() const {
  std::int64_t expected = 1;
  if (size() <= 1) return true;
  for (int axis = ndim() - 1; axis >= 0; --axis) {
    if (shape(axis) != 1 && stride(axis) != expected) return false;
    expected *= shape(axis);
  }
  return true;
}

std::string Array::type_of(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  const char* const kind = code == Code::Int       ? "int"
                           : code == Code::UInt    ? "uint"
                           : code == Code::Float   ? "float"
                           : code == Code::Bfloat  ? "bfloat"
                           : code == Code::Bool    ? "bool"
                           : code == Code::Complex ? "complex"
                                                   : "a type of code ";
  return kind + (code == Code::Bool ? std::string() : std::to_string(type.bits));
}

std::string Array::describe() const {
  std::string text = type_of(dtype()) + " of shape (";
  for (int axis = 0; axis < ndim(); ++axis) text += (axis == 0 ? "" : ", ") + std::to_string(shape(axis));
  text += ndim() == 1 ? ",)" : ")";
  return on_gpu() ? text + " on cuda:" + std::to_string(ordinal_) : text;
}

void Array::require_shape(std::initializer_list<std::int64_t> sizes, const char* what) const {
  bool same = static_cast<int>(sizes.size()) == ndim();
  int axis = 0;
  for (const std::int64_t wanted : sizes) {
    if (!same) break;
    same = wanted < 0 || wanted == shape(axis);
    ++axis;
  }
  if (!same) throw InvalidArgument(argument_ + ": expected " + what + ", not " + describe());
}

void Array::require_on(const Device& device) const {
  if (!on_gpu() || device.ordinal() == ordinal_) return;
  require(false, argument_, ": the array is on cuda:", ordinal_, ", but this object runs on ",
          device.is_cuda() ? "cuda:" + std::to_string(device.ordinal()) : "the CPU",
          "; move the array, or construct the object with device=\"cuda:", ordinal_, "\"");
}

void Array::require_on_host() const {
  require(!on_gpu(), argument_, ": the array is on cuda:", ordinal_,
          "; this needs one on the host: copy it first, for example with .cpu() or .get()");
}

void Array::record_ready(Event& event) const { event.record(StreamRef(ready_on_)); }

template <class T>
Array host_array(nb::handle object, const char* argument) {
  if (is_numpy(object) || nb::hasattr(object, "__dlpack_device__") ||
      nb::hasattr(object, "__cuda_array_interface__")) {
    Array array(object, argument);
    array.require_on_host();
    if (array.is<T>() && array.is_contiguous()) return array;
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  try {
    const nb::object converted = numpy.attr("ascontiguousarray")(
        object, nb::arg("dtype") = numpy.attr(sizeof(T) == 4 ? "float32" : "float64"));
    return Array(converted, argument);
  } catch (nb::python_error& problem) {
    if (!problem.matches(PyExc_ValueError) && !problem.matches(PyExc_TypeError)) throw;
    throw InvalidArgument(std::string(argument) + ": expected an array of numbers, not a " +
                          type_text(object));
  }
}
template Array host_array<float>(nb::handle, const char*);
template Array host_array<double>(nb::handle, const char*);

}  // namespace triptych::python
