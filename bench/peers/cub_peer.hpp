// Sums by CUB: of the toolkit's CCCL, and of a newer one where the CMake variable TRIPTYCH_CCCL_DIR names it.
// cub_peer.cu is compiled once for each.
#pragma once

#include <triptych/core/stream.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace triptych::bench {

// cub::DeviceReduce::Sum of n elements. The first call may allocate its temporary storage; later ones, which
// can be captured, do not.
template <class T>
class CubSum {
 public:
  virtual ~CubSum() = default;
  virtual void operator()(const T* values, T* result, StreamRef stream) = 0;
};

enum class CubVersion { toolkit, newer };

template <CubVersion>
struct CubPeer {
  static std::string version();  // of CCCL; empty: this one is absent
  static bool has_gpu_to_gpu();  // the same bits on every GPU, for float and double
  // gpu_to_gpu: with that promise. Null when this CCCL is absent or cannot give it.
  template <class T>
  static std::unique_ptr<CubSum<T>> sum(std::int64_t n, bool gpu_to_gpu);
};

}  // namespace triptych::bench
