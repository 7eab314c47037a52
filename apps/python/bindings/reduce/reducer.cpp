#include <triptych/core/device_guard.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/rows.hpp>
#include <triptych/reduction/strategy.hpp>

#include <list>
#include <memory>
#include <type_traits>

#include "../compute.hpp"
#include "../streams.hpp"
#include "reducer.hpp"

namespace triptych::python {

namespace {

using reduction::Reducer;

// Calls function.operator()<T>() for the element type of an array.
template <class Function>
auto for_element(const Array& array, Function&& function) {
  if (array.is<float>()) return function.template operator()<float>();
  if (array.is<double>()) return function.template operator()<double>();
  if (array.is<std::int32_t>()) return function.template operator()<std::int32_t>();
  if (array.is<std::uint32_t>()) return function.template operator()<std::uint32_t>();
  if (array.is<std::int64_t>()) return function.template operator()<std::int64_t>();
  if (array.is<std::uint64_t>()) return function.template operator()<std::uint64_t>();
  throw InvalidArgument(std::string(array.argument()) +
                        ": expected float32, float64, int32, uint32, int64 or uint64, not " +
                        array.describe());
}

// The widest accumulator of a type.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
concept HasDot = std::is_floating_point_v<T> || std::is_same_v<T, std::int32_t>;
template <class T>
concept HasMoments = reduction::MomentElement<T>;

template <class T>
std::span<const T> host_span(const Array& array) {
  return {array.contiguous<T>(), static_cast<std::size_t>(array.size())};
}
template <class T>
DeviceSpan<const T> device_span(const Array& array) {
  return {array.contiguous<T>(), array.size()};
}

[[noreturn]] void refuse(const char* operation, const Array& array, const char* types) {
  throw InvalidArgument(std::string(array.argument()) + ": " + operation + " takes " + types + ", not " +
                        array.describe());
}

void require_same(const Array& a, const Array& b) {
  require(a.dtype() == b.dtype() && a.size() == b.size(), b.argument(),
          ": expected as many elements of the same type as ", a.argument(), " has (", a.describe(), "), not ",
          b.describe());
  require(a.ordinal() == b.ordinal(), b.argument(),
          ": both arrays must be in the same memory: ", a.argument(), " is ", a.describe(), ", ",
          b.argument(), " is ", b.describe());
}

// The value of an operation over one span type, which Reducer takes for host and device memory alike.
template <class T, class Span>
nb::object value_of(Operation operation, Reducer& reducer, std::mutex& mutex, Span a, Span b, bool wide) {
  switch (operation) {
    case Operation::sum:
      if (wide) return nb::cast(compute(mutex, [&] { return reducer.sum<Wide<T>, T>(a); }));
      return nb::cast(compute(mutex, [&] { return reducer.sum<T, T>(a); }));
    case Operation::min:
      return nb::cast(compute(mutex, [&] { return reducer.min<T>(a); }));
    case Operation::max:
      return nb::cast(compute(mutex, [&] { return reducer.max<T>(a); }));
    case Operation::argmin:
      return nb::cast(compute(mutex, [&] { return reducer.argmin<T>(a).index; }));
    case Operation::argmax:
      return nb::cast(compute(mutex, [&] { return reducer.argmax<T>(a).index; }));
    case Operation::dot:
      if constexpr (HasDot<T>) {
        if constexpr (std::is_same_v<T, float>)
          if (!wide) return nb::cast(compute(mutex, [&] { return reducer.dot<float, float>(a, b); }));
        return nb::cast(compute(mutex, [&] { return reducer.dot<Wide<T>, T>(a, b); }));
      }
  }
  return nb::none();
}

template <class T>
T* output(const Array& out) {
  return const_cast<T*>(out.contiguous<T>());
}

}  // namespace

PyReducer::PyReducer(const Device& device, const reduction::Options& options, int threads,
                     reduction::CpuStrategy cpu_strategy)
    : reducer_(device, options, {.strategy = cpu_strategy, .threads = threads}), options_(options) {
  if (!device.is_cuda()) return;
  const DeviceGuard guard(device);
  ready_.emplace(Timing::off);
  enqueued_.emplace();
}

void PyReducer::wait_for(const Array& array) {
  if (!array.on_gpu()) return;
  array.require_on(device());
  const DeviceGuard guard(device());
  array.record_ready(*ready_);
  reducer_.wait(*ready_);
}

nb::object PyReducer::value(Operation operation, const Array& a, const Array* b, bool wide) {
  if (b != nullptr) require_same(a, *b);
  wait_for(a);
  if (b != nullptr) wait_for(*b);
  return for_element(a, [&]<class T>() -> nb::object {
    if constexpr (!HasDot<T>)
      if (operation == Operation::dot) refuse("dot", a, "float32, float64 or int32");
    if (a.on_gpu())
      return value_of<T>(operation, reducer_, mutex_, device_span<T>(a),
                         device_span<T>(b != nullptr ? *b : a), wide);
    return value_of<T>(operation, reducer_, mutex_, host_span<T>(a), host_span<T>(b != nullptr ? *b : a),
                       wide);
  });
}

reduction::Moments PyReducer::moments(const Array& a) {
  wait_for(a);
  return for_element(a, [&]<class T>() -> reduction::Moments {
    if constexpr (HasMoments<T>) {
      if (a.on_gpu())
        return compute(mutex_, [&, span = device_span<T>(a)] { return reducer_.moments<T>(span); });
      return compute(mutex_, [&, span = host_span<T>(a)] { return reducer_.moments<T>(span); });
    } else {
      refuse("moments", a, "float32, float64 or int32");
    }
  });
}

template <class T>
reduction::ExactSum<T> PyReducer::sum_exact(const Array& a) {
  wait_for(a);
  if (a.on_gpu())
    return compute(mutex_, [&, span = device_span<T>(a)] { return reducer_.sum_exact<T>(span); });
  return compute(mutex_, [&, span = host_span<T>(a)] { return reducer_.sum_exact<T>(span); });
}
template reduction::ExactSum<float> PyReducer::sum_exact<float>(const Array&);
template reduction::ExactSum<double> PyReducer::sum_exact<double>(const Array&);

template <class Function>
void PyReducer::in_order(StreamRef stream, Function&& function) {
  const DeviceGuard guard(device());
  compute(mutex_, [&] {
    Enqueued& e = *enqueued_;
    const bool capturing = stream.is_capturing();
    if (!capturing && e.any && e.last != stream.get()) stream.wait(e.done);
    function(e.workspace);
    if (capturing) return;
    e.done.record(stream);
    e.last = stream.get();
    e.any = true;
  });
}

void PyReducer::enqueue(Operation operation, const Array& a, const Array* b, const Array& out,
                        StreamRef stream) {
  require(enqueued_.has_value() && a.on_gpu() && out.on_gpu(),
          "out: it is for arrays on a GPU and a reducer on a GPU");
  a.require_on(device());
  out.require_on(device());
  if (b != nullptr) require_same(a, *b);
  require(out.size() == 1, "out: expected an array of one element, not ", out.describe());
  for_element(a, [&]<class T>() {
    const auto x = device_span<T>(a);
    in_order(stream, [&](Workspace& workspace) {
      switch (operation) {
        case Operation::sum:
          if (out.is<T>() && !std::is_same_v<T, Wide<T>>)
            return sum_cuda<T, T>(x, output<T>(out), options_, workspace, stream);
          return sum_cuda<Wide<T>, T>(x, output<Wide<T>>(out), options_, workspace, stream);
        case Operation::min:
          return min_cuda<T>(x, output<T>(out), options_, workspace, stream);
        case Operation::max:
          return max_cuda<T>(x, output<T>(out), options_, workspace, stream);
        case Operation::dot:
          if constexpr (HasDot<T>) {
            if constexpr (std::is_same_v<T, float>)
              if (out.is<float>())
                return dot_cuda<float, float>(x, device_span<T>(*b), output<float>(out), options_, workspace,
                                              stream);
            return dot_cuda<Wide<T>, T>(x, device_span<T>(*b), output<Wide<T>>(out), options_, workspace,
                                        stream);
          } else {
            refuse("dot", a, "float32, float64 or int32");
          }
        case Operation::argmin:
        case Operation::argmax:
          break;
      }
    });
  });
}

void PyReducer::enqueue_rows(const Array& matrix, const Array* x, float* result, StreamRef stream) {
  require(enqueued_.has_value(), matrix.argument(),
          ": this reducer runs on the CPU and cannot read device memory");
  matrix.require_on(device());
  const DeviceMatrixView<const float> view(static_cast<const float*>(matrix.data()), matrix.shape(0),
                                           matrix.shape(1), matrix.stride(0));
  const DeviceSpan<float> out(result, matrix.shape(0));
  in_order(stream, [&](Workspace& workspace) {
    const reduction::RowPlan plan = reduction::automatic_row_plan(view.rows(), view.cols());
    if (x == nullptr) {
      row_sums_cuda(view, out, plan, workspace, stream);
    } else {
      multiply_cuda(view, DeviceSpan<const float>(x->contiguous<float>(), x->size()), out, plan, workspace,
                    stream);
    }
  });
}

void PyReducer::reserve(std::int64_t count) {
  require(count >= 0, "count: cannot be ", count);
  if (!enqueued_) return;
  const DeviceGuard guard(device());
  compute(mutex_, [&] {
    const StreamRef stream = import_stream(device().ordinal());
    enqueued_->workspace.reserve(reduction::reduce_workspace_bytes(count), stream);
    stream.synchronize();  // the tickets are zeroed
  });
}

reduction::Options gpu_options(std::string_view strategy, std::string_view determinism) {
  return {.strategy = reduction::parse_strategy(strategy),
          .determinism = reduction::parse_determinism(determinism)};
}

PyReducer& reducer_for(const Array& a, std::string_view strategy, std::string_view determinism) {
  struct Entry {
    int ordinal;
    std::string strategy, determinism;
    std::unique_ptr<PyReducer> reducer;
  };
  thread_local std::list<Entry> entries;
  for (Entry& entry : entries)
    if (entry.ordinal == a.ordinal() && entry.strategy == strategy && entry.determinism == determinism)
      return *entry.reducer;
  const Device device = a.on_gpu() ? Device::cuda(a.ordinal()) : Device::cpu();
  const auto cpu_strategy =
      a.on_gpu() ? reduction::CpuStrategy::automatic : reduction::parse_cpu_strategy(strategy);
  const reduction::Options options = gpu_options(a.on_gpu() ? strategy : "automatic", determinism);
  auto reducer = std::make_unique<PyReducer>(device, options, 0, cpu_strategy);
  entries.push_back({a.ordinal(), std::string(strategy), std::string(determinism), std::move(reducer)});
  return *entries.back().reducer;
}

}  // namespace triptych::python
