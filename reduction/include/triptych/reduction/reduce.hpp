// Reductions of an array: sum, min, max, argmin, argmax, dot, moments, each as a CPU and a CUDA twin. See
// transform_reduce_cpu.hpp and transform_reduce.cuh for user-defined transforms, structs and monoids.
//
// The CUDA functions enqueue on the stream and return: they never synchronise, can be captured in a graph,
// and allocate nothing once the workspace is large enough. *result_on_device is valid after this work on the
// stream has finished. Arrays may have any length, above 2^31 too, and any alignment. The result of an empty
// array is the identity: 0, +-infinity or the limits of the type, no_index. Errors: InvalidArgument for a
// null pointer or a level of determinism that the strategy does not have; Unavailable without CUDA.
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/monoid.hpp>
#include <triptych/reduction/strategy.hpp>

#include <cstdint>
#include <span>

namespace triptych::reduction {

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

// The caller states the accumulator: the type of the element, or a wider type of the same kind.
template <class T, class A>
concept SumPair = Element<T> && Element<A> && std::is_floating_point_v<T>
== std::is_floating_point_v<A>&& std::is_signed_v<T> == std::is_signed_v<A> && sizeof(A) >= sizeof(T);

template <class T, class A>
concept DotPair = SumPair<T, A> &&
                  (std::is_floating_point_v<T> || std::same_as<T, std::int32_t>)&&sizeof(A) == 8;

template <class T, class A>
concept DotAccumulator = DotPair<T, A> ||(std::same_as<T, float>&& std::same_as<A, float>);

template <class T>
concept MomentElement = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t>;

template <class A, class T>
requires SumPair<T, A> A sum_cpu(std::span<const T> values, const CpuOptions& options);

template <Element T>
T min_cpu(std::span<const T> values, const CpuOptions& options);

template <Element T>
T max_cpu(std::span<const T> values, const CpuOptions& options);

template <Element T>
Indexed<T> argmin_cpu(std::span<const T> values, const CpuOptions& options);

template <Element T>
Indexed<T> argmax_cpu(std::span<const T> values, const CpuOptions& options);

// InvalidArgument when the lengths differ.
template <class A, class T>
requires DotAccumulator<T, A> A dot_cpu(std::span<const T> a, std::span<const T> b,
                                        const CpuOptions& options);

template <MomentElement T>
Moments moments_cpu(std::span<const T> values, const CpuOptions& options);

template <class A, class T>
requires SumPair<T, A>
void sum_cuda(DeviceSpan<const T> values, A* result_on_device, const Options& options, Workspace& workspace,
              StreamRef stream);

template <Element T>
void min_cuda(DeviceSpan<const T> values, T* result_on_device, const Options& options, Workspace& workspace,
              StreamRef stream);

template <Element T>
void max_cuda(DeviceSpan<const T> values, T* result_on_device, const Options& options, Workspace& workspace,
              StreamRef stream);

template <Element T>
void argmin_cuda(DeviceSpan<const T> values, Indexed<T>* result_on_device, const Options& options,
                 Workspace& workspace, StreamRef stream);

template <Element T>
void argmax_cuda(DeviceSpan<const T> values, Indexed<T>* result_on_device, const Options& options,
                 Workspace& workspace, StreamRef stream);

template <class A, class T>
requires DotAccumulator<T, A>
void dot_cuda(DeviceSpan<const T> a, DeviceSpan<const T> b, A* result_on_device, const Options& options,
              Workspace& workspace, StreamRef stream);

template <MomentElement T>
void moments_cuda(DeviceSpan<const T> values, Moments* result_on_device, const Options& options,
                  Workspace& workspace, StreamRef stream);

// Scratch bytes that the CUDA functions need for `count` elements with accumulators of up to 24 bytes, by any
// strategy. Reserve them before a capture. InvalidArgument when count is negative.
std::size_t reduce_workspace_bytes(std::int64_t count);

}  // namespace triptych::reduction
