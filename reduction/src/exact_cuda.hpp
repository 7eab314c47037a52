// The exact sum on a GPU, for sum_cuda and sum_exact_cuda.
#pragma once

#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/strategy.hpp>

namespace triptych::reduction {

// Result: ExactSum<T>, or float or double for the rounded sum. InvalidArgument for a strategy other than
// automatic.
template <class Result, ExactElement T>
void enqueue_exact_sum(DeviceSpan<const T> values, Result* result, const Options& options,
                       Workspace& workspace, StreamRef stream);

}  // namespace triptych::reduction
