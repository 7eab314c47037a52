// reduce_mapped: reduces a span through a map, for the CUDA operations of reduce.hpp.
#pragma once

#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/transform_reduce_libraries.cuh>

namespace triptych::reduction {

template <class T, class Map, class M>
void reduce_mapped(DeviceSpan<const T> values, Map map, M monoid, typename M::Value* result,
                   const Options& options, Workspace& workspace, StreamRef stream) {
  const MappedArray<T, Map> source{values.data(), map};
  transform_reduce_cuda(source, values.size(), monoid, result, options, workspace, stream, WithLibraries{});
}

}  // namespace triptych::reduction
