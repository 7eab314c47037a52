// The kernels of the one-pass fit by capacity; each is compiled in a file of its own.
#pragma once

#include "fit/cuda/one_pass_cuda.hpp"
#include "fit/cuda/one_pass_kernel.cuh"

namespace triptych::aam_fit {

using OnePassKernel = void (*)(OnePassArguments);

template <int RW, bool search>
OnePassKernel one_pass_kernel_of(Keep keep) {
  switch (keep) {
    case Keep::shared_float:
      return one_pass_kernel<RW, Keep::shared_float, search>;
    case Keep::registers_float:
      if constexpr (RW == 8) return one_pass_kernel<RW, Keep::registers_float, search>;
      return nullptr;
    case Keep::shared_half:
      return one_pass_kernel<RW, Keep::shared_half, search>;
    case Keep::streamed_float:
      return one_pass_kernel<RW, Keep::streamed_float, search>;
    case Keep::streamed_half:
      return one_pass_kernel<RW, Keep::streamed_half, search>;
  }
  return nullptr;
}

OnePassKernel one_pass_kernel_20(Keep keep, bool search);
OnePassKernel one_pass_kernel_36(Keep keep, bool search);
OnePassKernel one_pass_kernel_60(Keep keep, bool search);
OnePassKernel one_pass_kernel_64(Keep keep, bool search);

}  // namespace triptych::aam_fit
