// The few functions of NCCL that are used, declared as nccl.h has them (2.18 and newer), and loaded at run
// time.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <string>

struct CUstream_st;

namespace triptych::detail {

enum class NcclResult : int { success = 0, in_progress = 7 };
using NcclComm = void*;
struct NcclUniqueId {
  std::array<char, 128> bytes;
};

// The fields of version 2.18: NCCL reads the first `size` bytes and takes the rest as undefined.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = 1;
  int cga_cluster_size = INT_MIN, min_blocks = INT_MIN, max_blocks = INT_MIN;
  const char* network = nullptr;
  int split_share = INT_MIN;
};

struct NcclApi {
  const char* (*error_string)(NcclResult);
  NcclResult (*get_unique_id)(NcclUniqueId*);
  NcclResult (*init_rank)(NcclComm*, int size, NcclUniqueId, int rank, NcclConfig*);
  NcclResult (*all_reduce)(const void*, void*, std::size_t, int type, int operation, NcclComm, CUstream_st*);
  NcclResult (*async_error)(NcclComm, NcclResult*);
  NcclResult (*abort)(NcclComm);
  NcclResult (*destroy)(NcclComm);
};
inline constexpr int nccl_uint64 = 5, nccl_sum = 0;

// Loads the library once. Null when it cannot be loaded: *reason says why.
const NcclApi* nccl_api(std::string* reason);

}  // namespace triptych::detail
