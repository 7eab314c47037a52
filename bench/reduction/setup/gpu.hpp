// The GPU measurements of reduction_bench.
#pragma once

namespace triptych::bench {

void define_gpu_reductions(bool quick);

}  // namespace triptych::bench
