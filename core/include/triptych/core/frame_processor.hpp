// FrameProcessor: the interface that Tracker, ParticleFilter, Fitter and FaceTracker share. Code written for
// it works with all of them.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/core/latency.hpp>
#include <triptych/core/stream.hpp>

#include <concepts>
#include <string>

namespace triptych {

// The largest number of inputs in flight: submitted, and not yet returned by next().
inline constexpr int max_in_flight = 3;

// status is the outcome, as text by to_string(status). found() tells whether the result can be used; when it
// cannot, reason(result) says in a sentence why, and what to do. score, from 0 to 1, tells how well the model
// explains the input; confidence is the probability that the result is right.
template <class R>
concept FrameResult = requires(const R& result) {
  { to_string(result.status) } -> std::same_as<std::string>;
  { result.found() } -> std::same_as<bool>;
  { result.score } -> std::convertible_to<double>;
  { result.confidence } -> std::convertible_to<double>;
  { reason(result) } -> std::same_as<std::string>;
};

// An object is constructed from a model, options and a device, and processes one input per frame. step()
// returns the result of an input. submit() enqueues an input and next() returns the results in the order of
// the inputs, with up to max_in_flight in flight. wait() orders the inputs that follow after an event of
// another stream, for inputs in device memory that are still being written. One thread at a time. Move-only.
template <class T>
concept FrameProcessor =
    std::movable<T> && !std::copyable<T> && FrameResult<typename T::Result> &&
    std::constructible_from<T, const typename T::Model&> &&
    std::constructible_from<T, const typename T::Model&, const typename T::Options&> &&
    std::constructible_from<T, const typename T::Model&, const typename T::Options&, const Device&> &&
    requires(T & object, const T& constant, const typename T::Input& input, const Event& event) {
  { object.step(input) } -> std::same_as<typename T::Result>;
  { object.submit(input) } -> std::same_as<void>;
  { object.next() } -> std::same_as<typename T::Result>;
  { object.wait(event) } -> std::same_as<void>;
  { constant.in_flight() } -> std::same_as<int>;
  { object.reset() } -> std::same_as<void>;
  { constant.device() } -> std::same_as<const Device&>;
  { constant.latency() } -> std::same_as<Latency>;
  { constant.describe() } -> std::same_as<std::string>;
};

}  // namespace triptych
