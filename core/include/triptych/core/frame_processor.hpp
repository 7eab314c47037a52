// The shape that Tracker, ParticleFilter and Fitter share. Code written for a FrameProcessor serves all
// three.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/core/latency.hpp>

#include <concepts>
#include <string>

namespace triptych {

// How many inputs an object takes by submit() before next() must be called.
inline constexpr int max_in_flight = 3;

// status says how it went, in words by to_string(status); found() whether the result can be used; score how
// well the model explains the input, from 0 (not at all) to 1 (wholly), for a threshold of one's own.
template <class R>
concept FrameResult = requires(const R& result) {
  { to_string(result.status) } -> std::same_as<std::string>;
  { result.found() } -> std::same_as<bool>;
  { result.score } -> std::convertible_to<double>;
};

// Made of a model, options and a device; then fed one input a frame. step() returns its result; submit() and
// next() do the same in two halves, results in the order of the inputs, up to max_in_flight on their way. One
// thread at a time. Move-only.
template <class T>
concept FrameProcessor =
    std::movable<T> && !std::copyable<T> && FrameResult<typename T::Result> &&
    std::constructible_from<T, const typename T::Model&> &&
    std::constructible_from<T, const typename T::Model&, const typename T::Options&> &&
    std::constructible_from<T, const typename T::Model&, const typename T::Options&, const Device&> &&
    requires(T & object, const T& constant, const typename T::Input& input) {
  { object.step(input) } -> std::same_as<typename T::Result>;
  { object.submit(input) } -> std::same_as<void>;
  { object.next() } -> std::same_as<typename T::Result>;
  { constant.in_flight() } -> std::same_as<int>;
  { object.reset() } -> std::same_as<void>;
  { constant.device() } -> std::same_as<const Device&>;
  { constant.latency() } -> std::same_as<Latency>;
  { constant.describe() } -> std::same_as<std::string>;
};

}  // namespace triptych
