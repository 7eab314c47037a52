// soak(): runs an object for very many frames and checks that memory, latency and results stay as they are.
#pragma once

#include <triptych/core/clock.hpp>
#include <triptych/core/frame_processor.hpp>
#include <triptych/core/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

namespace triptych::soak {

struct Limits {
  std::int64_t frames = 1'000'000;
  double seconds = 1e9;  // stops earlier when this time has passed
};

// In bytes; 0 where it is not known.
std::int64_t host_memory();
std::int64_t device_memory();

// A digest of bits, for results that must not change.
class Digest {
 public:
  template <class T>
  Digest& add(const T* values, std::size_t count) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values);
    for (std::size_t i = 0; i < count * sizeof(T); ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3u;
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// The inputs are processed in cycles; restart(object) makes it as new before each. Cycles take turns between
// step() and submit()/next(). Every cycle must give the digests of the first one.
template <FrameProcessor Object, class Restart, class DigestOf>
Json soak(const std::string& name, Object& object, const std::vector<typename Object::Input>& inputs,
          const Limits& limits, const Restart& restart, const DigestOf& digest_of) {
  std::vector<std::uint64_t> expected;
  std::vector<float> latencies_us;
  latencies_us.reserve(static_cast<std::size_t>(limits.frames) + inputs.size());
  std::int64_t frames = 0, wrong = 0;
  std::size_t at = 0;
  const auto take = [&](const typename Object::Result& result) {
    const std::uint64_t digest = digest_of(result);
    if (frames < static_cast<std::int64_t>(inputs.size())) {
      expected.push_back(digest);
    } else if (expected[at] != digest) {
      ++wrong;
    }
    at = (at + 1) % inputs.size();
    latencies_us.push_back(static_cast<float>(result.latency_us));
    ++frames;
  };
  const Stopwatch watch;
  Stopwatch progress;
  // Memory is compared from the middle on: before, buffers, code and the heaps of threads find their size.
  // The touched pages of latencies_us are not the object's.
  std::fill_n(std::back_inserter(latencies_us), latencies_us.capacity(), 0.0f);
  latencies_us.clear();
  std::int64_t host = 0, device = 0;
  for (int cycle = 0; frames < limits.frames && watch.elapsed_s() < limits.seconds; ++cycle) {
    restart(object);
    if (cycle % 2 == 0) {
      for (const auto& input : inputs) take(object.step(input));
    } else {
      for (const auto& input : inputs) {
        if (object.in_flight() == max_in_flight) take(object.next());
        object.submit(input);
      }
      while (object.in_flight() > 0) take(object.next());
    }
    const bool half = 2 * frames >= limits.frames || 2 * watch.elapsed_s() >= limits.seconds;
    if (half && host == 0) {
      host = host_memory();
      if (object.device().is_cuda()) device = device_memory();  // asking makes a context, which takes memory
    }
    if (progress.elapsed_s() < 5) continue;
    progress.restart();
    std::fprintf(stderr, "%s: %lld of %lld frames, %.0f s\n", name.c_str(), static_cast<long long>(frames),
                 static_cast<long long>(limits.frames), watch.elapsed_s());
  }
  const std::int64_t host_growth = host > 0 ? host_memory() - host : 0;
  const std::int64_t device_growth = device > 0 ? device_memory() - device : 0;
  const auto quantile = [](std::vector<float> values, double share) {
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return static_cast<double>(values[static_cast<std::size_t>(rank)]);
  };
  const auto tenth = static_cast<std::ptrdiff_t>(latencies_us.size() / 10);
  const double first = quantile({latencies_us.begin() + tenth, latencies_us.begin() + 2 * tenth + 1}, 0.5);
  const double last = quantile({latencies_us.end() - tenth - 1, latencies_us.end()}, 0.5);
  return {{"object", name},
          {"describe", object.describe()},
          {"frames", frames},
          {"seconds", watch.elapsed_s()},
          {"different_results", wrong},
          {"host_bytes_grown", host_growth},
          {"device_bytes_grown", device_growth},
          {"p50_us", quantile(latencies_us, 0.5)},
          {"p99_us", quantile(latencies_us, 0.99)},
          {"p999_us", quantile(latencies_us, 0.999)},
          {"max_us", quantile(latencies_us, 1)},
          {"median_of_second_tenth_us", first},
          {"median_of_last_tenth_us", last}};
}

}  // namespace triptych::soak
