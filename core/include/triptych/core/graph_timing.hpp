// Time of GPU work, for code that selects the fastest of several variants.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <array>

namespace triptych {

// Microseconds per call of enqueue(): the median over launches of a graph that holds `calls` calls. enqueue()
// is called once before the capture, so that workspaces have grown and code is loaded. Synchronises.
// InvalidArgument when calls < 1.
template <class Enqueue>
double graph_us_per_call(StreamRef stream, int calls, Enqueue&& enqueue) {
  require(calls >= 1, "cannot measure ", calls, " calls");
  enqueue();
  const Graph graph = Graph::capture(stream, [&] {
    for (int k = 0; k < calls; ++k) enqueue();
  });
  graph.launch(stream);
  Event begin, end;
  std::array<double, 7> us{};
  for (double& one : us) {
    begin.record(stream);
    graph.launch(stream);
    end.record(stream);
    end.synchronize();
    one = 1e3 * Event::elapsed_ms(begin, end) / calls;
  }
  std::nth_element(us.begin(), us.begin() + us.size() / 2, us.end());
  return us[us.size() / 2];
}

}  // namespace triptych
