#include <triptych/core/graph.hpp>

#include "runtime.hpp"

namespace triptych {

namespace detail {

void GraphDeleter::operator()(CUgraphExec_st* executable) const noexcept {
  runtime::destroy_graph(executable);
}

Capture::Capture(StreamRef stream) : stream_(stream) { runtime::begin_capture(stream.get()); }

Capture::~Capture() {
  if (active_) runtime::abort_capture(stream_.get());
}

Graph Capture::finish() {
  active_ = false;  // a failure ends the capture as well
  const runtime::ExecutableGraph graph = runtime::end_capture(stream_.get());
  return Graph(graph.executable, graph.node_count);
}

}  // namespace detail

void Graph::launch(StreamRef stream) const { runtime::launch_graph(executable_.get(), stream.get()); }

}  // namespace triptych
