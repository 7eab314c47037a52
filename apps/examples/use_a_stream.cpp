// GPU work from plain C++, without a CUDA compiler: device memory, a stream, a reduction, a CUDA graph.
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/reduction/reduce.hpp>

#include <cstdio>
#include <vector>

using namespace triptych;

int main() {
  if (cuda_device_count() == 0) {
    std::printf("nothing to do: %s\n", cuda_unavailable_reason().c_str());
    return 0;
  }
  Stream stream;                        // work on a stream runs in order, while the host continues
  Workspace workspace;                  // scratch memory that operations on one stream share
  DeviceBuffer<float> values(1 << 20);  // uninitialised device memory
  DeviceBuffer<double> sum(1);
  PinnedBuffer<double> result(1);  // pinned host memory: copies to it do not block the host

  // Functions that end in _cuda only enqueue work, and memory stays where it is until a copy moves it.
  const auto enqueue = [&] {
    reduction::sum_cuda<double, float>(values.span(), sum.data(), {}, workspace, stream);
    copy_to_host(sum.span(), result.span(), stream);
  };
  workspace.reserve(reduction::reduce_workspace_bytes(values.size()), stream);  // a capture cannot allocate
  const Graph graph = Graph::capture(stream, enqueue);                          // records, and runs nothing

  for (const float value : {0.5f, 1.0f, 2.0f}) {
    const std::vector<float> samples(1 << 20, value);
    copy_to_device<float>(samples, values.span(), stream);
    graph.launch(stream);  // the reduction and the copy of its result, in one launch
    stream.synchronize();  // waits until the result is on the host
    std::printf("the sum of %zu times %.1f is %.1f\n", samples.size(), static_cast<double>(value),
                result.span()[0]);
  }
}
