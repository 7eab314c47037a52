// triptych.reduce: Reducer, and the same operations as functions.
#include <triptych/reduction/rows.hpp>
#include <triptych/reduction/strategy.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>

#include "../arrays.hpp"
#include "../bind.hpp"
#include "../compute.hpp"
#include "../device_array.hpp"
#include "../devices.hpp"
#include "../streams.hpp"
#include "reducer.hpp"

namespace triptych::python {

namespace {

using reduction::CpuStrategy;
using reduction::Options;

// dtype: the accumulator, as NumPy's argument of that name. True when it has 64 bits.
bool is_wide(nb::handle dtype, const Array& a) {
  if (dtype.is_none()) return true;
  const nb::object type = nb::module_::import_("numpy").attr("dtype")(dtype);
  const std::string name = nb::cast<std::string>(type.attr("name"));
  const bool is_float = static_cast<nb::dlpack::dtype_code>(a.dtype().code) == nb::dlpack::dtype_code::Float;
  const std::string kind =
      is_float                                                                             ? "float"
      : static_cast<nb::dlpack::dtype_code>(a.dtype().code) == nb::dlpack::dtype_code::Int ? "int"
                                                                                           : "uint";
  if (name == kind + "64") return true;
  require(name == kind + "32" && a.dtype().bits == 32, "dtype: an array of ", a.describe(),
          " is accumulated in ", kind, "64", a.dtype().bits == 32 ? " or " + kind + "32" : "", ", not in ",
          name);
  return false;
}

void require_elements(Operation operation, const Array& a) {
  const bool needs_one = operation != Operation::sum && operation != Operation::dot;
  require(!needs_one || a.size() > 0, a.argument(), ": an empty array has neither a minimum nor a maximum");
}

nb::object run(PyReducer& reducer, Operation operation, nb::handle x, nb::handle y, nb::handle dtype,
               nb::handle out, nb::handle stream) {
  const nb::object given = nb::borrow(stream);
  if (!out.is_none()) {
    const nb::object on =
        given.is_none() ? nb::cast(reinterpret_cast<std::uintptr_t>(current_stream_of(x, "x"))) : given;
    const Array a(x, "x", on), target(out, "out", on);
    require_elements(operation, a);
    std::optional<Array> b;
    if (!y.is_none()) b.emplace(y, "y", on);
    reducer.enqueue(operation, a, b ? &*b : nullptr, target, StreamRef(stream_of(on).value()));
    return nb::borrow(out);
  }
  const Array a(x, "x", given);
  require_elements(operation, a);
  std::optional<Array> b;
  if (!y.is_none()) b.emplace(y, "y", given);
  return reducer.value(operation, a, b ? &*b : nullptr, is_wide(dtype, a));
}

nb::object run_function(Operation operation, nb::handle x, nb::handle y, nb::handle dtype,
                        std::string_view strategy, std::string_view determinism, nb::handle stream) {
  const Array a(x, "x", stream);
  require_elements(operation, a);
  std::optional<Array> b;
  if (!y.is_none()) b.emplace(y, "y", stream);
  return reducer_for(a, strategy, determinism).value(operation, a, b ? &*b : nullptr, is_wide(dtype, a));
}

// Rows of a matrix: the sums, or the products with a vector.
nb::object run_rows(nb::handle matrix, nb::handle vector, nb::handle out, nb::handle stream, int threads) {
  Array a(matrix, "a", stream);
  a.require_type<float>();
  a.require_shape({-1, -1}, "a matrix");
  require(a.shape(1) <= 1 || a.stride(1) == 1, "a: the elements of a row must be contiguous");
  require(a.shape(0) <= 1 || a.stride(0) >= a.shape(1),
          "a: rows must follow each other in memory without overlap");
  std::optional<Array> x;
  if (!vector.is_none()) {
    x.emplace(vector, "x", stream);
    x->require_type<float>();
    x->require_shape({a.shape(1)}, "as many elements as the matrix has columns");
    require(x->ordinal() == a.ordinal(), "x: both arrays must be in the same memory: a is ", a.describe(),
            ", x is ", x->describe());
  }
  const auto rows = static_cast<std::size_t>(a.shape(0));
  if (!a.on_gpu()) {
    require(out.is_none(), "out: it is for arrays on a GPU");
    std::vector<float> result(rows);
    const MatrixView<const float> view(static_cast<const float*>(a.data()), a.shape(0), a.shape(1),
                                       a.shape(0) <= 1 ? a.shape(1) : a.stride(0));
    if (x) {
      const std::span<const float> values(x->contiguous<float>(), static_cast<std::size_t>(x->size()));
      compute([&] { reduction::multiply_cpu(view, values, result, threads); });
    } else {
      compute([&] { reduction::row_sums_cpu(view, result, threads); });
    }
    return to_numpy(std::move(result), {rows});
  }
  const StreamRef on(stream.is_none() ? current_stream_of(matrix, "a") : stream_of(stream).value());
  PyReducer& reducer = reducer_for(a, "automatic", "run_to_run");
  if (out.is_none()) {
    DeviceArray result(nb::dtype<float>(), {rows}, a.ordinal());
    reducer.enqueue_rows(a, x ? &*x : nullptr, result.data<float>(), on);
    result.filled_on(on);
    return nb::cast(std::move(result));
  }
  const Array target(out, "out", nb::cast(reinterpret_cast<std::uintptr_t>(on.get())));
  target.require_shape({a.shape(0)}, "one element for each row");
  target.require_on(reducer.device());
  reducer.enqueue_rows(a, x ? &*x : nullptr, const_cast<float*>(target.contiguous<float>()), on);
  return nb::borrow(out);
}

struct Named {
  const char* name;
  Operation operation;
  const char* doc;
};
constexpr Named one_array[] = {
    {"min", Operation::min, "The smallest element; NaN when there is one."},
    {"max", Operation::max, "The largest element; NaN when there is one."},
    {"argmin", Operation::argmin,
     "The index of the smallest element, in C order: the first of equal ones. NaNs are ignored."},
    {"argmax", Operation::argmax,
     "The index of the largest element, in C order: the first of equal ones. NaNs are ignored."},
};

constexpr const char* sum_doc =
    "The sum of all elements.\n\n"
    "x: a contiguous array of float32, float64, int32, uint32, int64 or uint64 of any shape, on the host or "
    "a GPU. It is summed where it lies.\n"
    "dtype: the accumulator. Default: float64 for floats, int64 or uint64 for integers; or the 32-bit type "
    "of the array.\n"
    "determinism: \"not_guaranteed\", \"run_to_run\" (the same bits on one device every time), "
    "\"gpu_to_gpu\" (on all devices) or \"exact\" (the sum rounded once to the accumulator, whatever the "
    "order "
    "of the elements, on GPUs and CPUs; with the strategy \"automatic\").\n"
    "strategy: of the GPU (triptych.reduce.strategies()) or, for an array on the host, of the CPU "
    "(cpu_strategies()).\n"
    "stream: the CUDA stream on which the array is written; without it the array's library is asked.\n"
    "Returns a Python number. InvalidArgument for another type, an array that is not contiguous, or an "
    "unknown name.";
constexpr const char* out_doc =
    "\nout: an array of one element on the GPU, of the accumulator's type. The value is then written there "
    "by work enqueued on the stream\n"
    "(default: the current stream of the array's library); the call does not wait and can be captured in a "
    "CUDA graph after reserve().";

void bind_functions(nb::module_& m) {
  m.def(
      "sum",
      [](nb::handle x, nb::handle dtype, std::string_view strategy, std::string_view determinism,
         nb::handle stream) {
        return run_function(Operation::sum, x, nb::none(), dtype, strategy, determinism, stream);
      },
      nb::arg("x").none(), nb::kw_only(), nb::arg("dtype") = nb::none(), nb::arg("strategy") = "automatic",
      nb::arg("determinism") = "run_to_run", nb::arg("stream") = nb::none(), sum_doc);
  m.def(
      "dot",
      [](nb::handle x, nb::handle y, nb::handle dtype, std::string_view strategy,
         std::string_view determinism, nb::handle stream) {
        return run_function(Operation::dot, x, y, dtype, strategy, determinism, stream);
      },
      nb::arg("x").none(), nb::arg("y").none(), nb::kw_only(), nb::arg("dtype") = nb::none(),
      nb::arg("strategy") = "automatic", nb::arg("determinism") = "run_to_run",
      nb::arg("stream") = nb::none(),
      "The sum of the products of two arrays of float32, float64 or int32 of the same size; see sum() for "
      "the other arguments.");
  for (const Named& op : one_array)
    m.def(
        op.name,
        [operation = op.operation](nb::handle x, std::string_view strategy, nb::handle stream) {
          return run_function(operation, x, nb::none(), nb::none(), strategy, "run_to_run", stream);
        },
        nb::arg("x").none(), nb::kw_only(), nb::arg("strategy") = "automatic", nb::arg("stream") = nb::none(),
        op.doc);
  m.def(
      "moments",
      [](nb::handle x, std::string_view strategy, std::string_view determinism, nb::handle stream) {
        const Array a(x, "x", stream);
        return reducer_for(a, strategy, determinism).moments(a);
      },
      nb::arg("x").none(), nb::kw_only(), nb::arg("strategy") = "automatic",
      nb::arg("determinism") = "run_to_run", nb::arg("stream") = nb::none(),
      "Count, mean and variance of float32, float64 or int32 elements, in one pass without cancellation; a "
      "Moments.");
  m.def(
      "row_sums",
      [](nb::handle a, nb::handle out, nb::handle stream, Whole<"threads"> threads) {
        return run_rows(a, nb::none(), out, stream, threads);
      },
      nb::arg("a").none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
      nb::arg("threads") = 0,
      "The sum of each row of a float32 matrix (rows, columns). A row must be contiguous; rows may lie "
      "apart, as in a region of a larger\n"
      "matrix. Returns (rows,) float32: a NumPy array, or a DeviceArray (or out) for a matrix on a GPU.");
  m.def(
      "matvec",
      [](nb::handle a, nb::handle x, nb::handle out, nb::handle stream, Whole<"threads"> threads) {
        require(!x.is_none(), "x: expected a vector, not None");
        return run_rows(a, x, out, stream, threads);
      },
      nb::arg("a").none(), nb::arg("x").none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::arg("stream") = nb::none(), nb::arg("threads") = 0,
      "The product of a float32 matrix (rows, columns) and a vector (columns,); see row_sums() for layout "
      "and result.");
}

void bind_reducer(nb::module_& m) {
  auto reducer =
      nb::class_<PyReducer>(m, "Reducer",
                            "Reductions on one device: owns its stream and scratch memory. Calls from "
                            "several threads take turns.\n\n"
                            ">>> Reducer(\"cpu\").sum(numpy.arange(10.0))\n45.0")
          .def(
              "__init__",
              [](PyReducer* self, nb::handle device, std::string_view strategy, std::string_view determinism,
                 Whole<"threads"> threads) {
                const Device where = device_of(device);
                require_kind(where, std::array{DeviceKind::cpu, DeviceKind::cuda}, "Reducer");
                const auto cpu_strategy =
                    where.is_cuda() ? CpuStrategy::automatic : reduction::parse_cpu_strategy(strategy);
                new (self)
                    PyReducer(where, gpu_options(where.is_cuda() ? strategy : "automatic", determinism),
                              threads, cpu_strategy);
              },
              nb::arg("device") = "auto", nb::kw_only(), nb::arg("strategy") = "automatic",
              nb::arg("determinism") = "run_to_run", nb::arg("threads") = 0,
              "device: \"auto\", \"cpu\", \"cuda:0\". On a GPU, arrays on the host are copied to it first. "
              "threads: of the CPU; 0: all cores.")
          .def(
              "sum",
              [](PyReducer& self, nb::handle x, nb::handle dtype, nb::handle out, nb::handle stream) {
                return run(self, Operation::sum, x, nb::none(), dtype, out, stream);
              },
              nb::arg("x").none(), nb::kw_only(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(),
              nb::arg("stream") = nb::none(), (std::string(sum_doc) + out_doc).c_str())
          .def(
              "dot",
              [](PyReducer& self, nb::handle x, nb::handle y, nb::handle dtype, nb::handle out,
                 nb::handle stream) { return run(self, Operation::dot, x, y, dtype, out, stream); },
              nb::arg("x").none(), nb::arg("y").none(), nb::kw_only(), nb::arg("dtype") = nb::none(),
              nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
              "The sum of the products of two arrays; see sum().")
          .def(
              "moments",
              [](PyReducer& self, nb::handle x, nb::handle stream) {
                return self.moments(Array(x, "x", stream));
              },
              nb::arg("x").none(), nb::kw_only(), nb::arg("stream") = nb::none(),
              "Count, mean and variance; see triptych.reduce.moments.")
          .def(
              "reserve", [](PyReducer& self, Whole<"count", std::int64_t> count) { self.reserve(count); },
              nb::arg("count"),
              "Reserves scratch memory for arrays of up to `count` elements, before a stream capture.")
          .def_prop_ro("device", [](const PyReducer& self) { return name_of(self.device()); })
          .def("__repr__", [](const PyReducer& self) {
            return "Reducer(device='" + name_of(self.device()) + "', determinism='" +
                   to_string(self.options().determinism) + "')";
          });
  for (const Named& op : one_array)
    reducer.def(
        op.name,
        [operation = op.operation](PyReducer& self, nb::handle x, nb::handle out, nb::handle stream) {
          require(out.is_none() || operation == Operation::min || operation == Operation::max,
                  "out: it is for sum, dot, min and max");
          return run(self, operation, x, nb::none(), nb::none(), out, stream);
        },
        nb::arg("x").none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
        op.doc);
}

}  // namespace

void bind_reduce(nb::module_& m) {
  using reduction::Moments;
  nb::class_<Moments>(m, "Moments", "Count, mean and variance of the elements of an array.")
      .def_prop_ro("count", [](const Moments& self) { return static_cast<std::int64_t>(self.count); })
      .def_ro("mean", &Moments::mean)
      .def_prop_ro("variance", &Moments::variance, "Of the population: divided by the count, as numpy.var.")
      .def_prop_ro("sample_variance", &Moments::sample_variance, "Unbiased: divided by the count less one.")
      .def_prop_ro(
          "std", [](const Moments& self) { return std::sqrt(self.variance()); },
          "The square root of variance, as numpy.std.")
      .def("__getstate__", [](const Moments& self) { return nb::make_tuple(self.count, self.mean, self.m2); })
      .def("__setstate__",
           [](Moments& self, const nb::tuple& state) {
             new (&self)
                 Moments{nb::cast<double>(state[0]), nb::cast<double>(state[1]), nb::cast<double>(state[2])};
           })
      .def("__repr__", [](const Moments& self) {
        return "Moments(count=" + std::to_string(static_cast<std::int64_t>(self.count)) +
               ", mean=" + text_of(self.mean) + ", variance=" + text_of(self.variance()) + ")";
      });
  bind_functions(m);
  bind_reducer(m);
  bind_exact_sum(m);
  m.def(
      "strategies",
      [] {
        std::vector<std::string> names = {"automatic"};
        for (const auto strategy : reduction::all_strategies()) names.push_back(to_string(strategy));
        return names;
      },
      "The names of the strategies of a GPU.");
  m.def(
      "cpu_strategies",
      [] {
        std::vector<std::string> names = {"automatic"};
        for (const auto strategy : reduction::all_cpu_strategies()) names.push_back(to_string(strategy));
        return names;
      },
      "The names of the strategies of a CPU.");
}

}  // namespace triptych::python
