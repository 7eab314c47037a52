// Timing of calls: medians with their spread. The caller rotates inputs where the caches must not help.
#pragma once

#include <triptych/core/clock.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace triptych::bench {

struct Timing {
  double us = 0;       // median of one call
  double low_us = 0;   // 10th percentile
  double high_us = 0;  // 90th percentile
};

inline Timing summarize(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto at = [&us](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  return {at(0.5), at(0.1), at(0.9)};
}

// The time per call in a graph of `calls` calls, enqueue(0) .. enqueue(calls - 1), by events around each
// launch of the graph: at least three launches, then up to `replays` within half a second.
template <class Enqueue>
Timing time_in_graph(StreamRef stream, int calls, int replays, Enqueue&& enqueue) {
  const Graph graph = Graph::capture(stream, [&] {
    for (int k = 0; k < calls; ++k) enqueue(k);
  });
  Event begin, end;
  std::vector<double> us;
  const Stopwatch all;
  for (int r = -2; r < replays && (r < 3 || all.elapsed_s() < 0.5); ++r) {  // the first two only warm up
    begin.record(stream);
    graph.launch(stream);
    end.record(stream);
    end.synchronize();
    if (r >= 0) us.push_back(1e3 * Event::elapsed_ms(begin, end) / calls);
  }
  return summarize(std::move(us));
}

// A call that cannot be captured, by the clock of the host until its result: at least three calls, then up to
// `repeats` calls within half a second.
template <class Call>
Timing time_on_host(int repeats, Call&& call) {
  std::vector<double> us;
  call(0);
  const Stopwatch all;
  for (int r = 0; r < repeats && (r < 3 || all.elapsed_s() < 0.5); ++r) {
    const Stopwatch watch;
    call(r);
    us.push_back(watch.elapsed_us());
  }
  return summarize(std::move(us));
}

}  // namespace triptych::bench
