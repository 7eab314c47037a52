// How long work takes on a GPU, for those that choose the quickest of several ways.
#pragma once

#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <array>

namespace triptych {

// Microseconds of one call: the median over replays of a graph that holds so many. enqueue() is called once
// before that, outside the capture: workspaces grow and code is loaded.
template <class Enqueue>
double replay_us(StreamRef stream, int calls, Enqueue&& enqueue) {
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
