// Kernels that reduce every row of a matrix: few very long rows, or many short ones. For .cu files.
//
// A row source gives the contribution of column c of row r. Data that the rows share (the vector of a
// matrix-vector product) are loaded once for all rows of a thread:
//   static constexpr int pack_size;  using Pack, Column;  bool aligned() const;
//   Column column(c) const;       Column column_aligned(c) const;     the shared data of pack_size columns
//   from c Pack load(r, c) const;        Pack load_aligned(r, c) const;      pack_size elements of row r from
//   c Value fold(Pack, Column, M) const;                                combines the elements of a pack Value
//   operator()(r, c) const;                                     one element, for the end of a row
#pragma once

#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/grid.cuh>
#include <triptych/reduction/source.hpp>

#include <cooperative_groups.h>

namespace triptych::reduction::detail {

inline constexpr int max_cluster_shares = 8;  // the portable cluster size

// Combines the packs `lane`, `lane` + lanes, ... of Rows rows into sum, with Unroll loads of each row in
// flight. Loads past the end are skipped, not clamped as in fold_group: here most lanes have such loads.
template <int Rows, int Unroll, bool Aligned, class S, class M>
__device__ __forceinline__ void fold_row_packs(const S& source, const std::int64_t (&row)[Rows],
                                               std::int64_t packs, std::int64_t lane, std::int64_t lanes,
                                               M monoid, typename M::Value (&sum)[Rows]) {
  for (std::int64_t first = lane; first < packs; first += Unroll * lanes) {
    typename S::Column column[Unroll];
    typename S::Pack pack[Unroll][Rows];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const std::int64_t col = (first + u * lanes) * S::pack_size;
      if (first + u * lanes < packs) {
        column[u] = Aligned ? source.column_aligned(col) : source.column(col);
#pragma unroll
        for (int r = 0; r < Rows; ++r)
          pack[u][r] = Aligned ? source.load_aligned(row[r], col) : source.load(row[r], col);
      }
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      if (first + u * lanes < packs) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) sum[r] = monoid(sum[r], source.fold(pack[u][r], column[u], monoid));
      }
    }
  }
}

// The part of lane `lane` of `lanes` in the rows first .. first + Rows - 1. Rows past the last one repeat it;
// the caller ignores their results.
template <int Rows, int Unroll, class S, class M>
__device__ __forceinline__ void fold_rows(const S& source, std::int64_t first, std::int64_t rows,
                                          std::int64_t cols, std::int64_t lane, std::int64_t lanes, M monoid,
                                          typename M::Value (&sum)[Rows]) {
  std::int64_t row[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) row[r] = first + r < rows ? first + r : rows - 1;
#pragma unroll
  for (int r = 0; r < Rows; ++r) sum[r] = monoid.identity();
  const std::int64_t packs = cols / S::pack_size;
  if (source.aligned()) {
    fold_row_packs<Rows, Unroll, true>(source, row, packs, lane, lanes, monoid, sum);
  } else {
    fold_row_packs<Rows, Unroll, false>(source, row, packs, lane, lanes, monoid, sum);
  }
  for (std::int64_t c = packs * S::pack_size + lane; c < cols; c += lanes) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) sum[r] = monoid(sum[r], source(row[r], c));
  }
}

// Combines Rows values per thread over the block; row r is valid in thread r. One barrier for all rows.
template <int Threads, int Rows, class M>
__device__ __forceinline__ typename M::Value block_reduce_rows(typename M::Value (&v)[Rows], M monoid) {
  using Value = typename M::Value;
  constexpr int warps = Threads / 32;
  __shared__ Value of_warp[Rows][warps];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    v[r] = warp_reduce<32>(v[r], monoid);
    if (lane == 0) of_warp[r][warp] = v[r];
  }
  __syncthreads();
  Value total = monoid.identity();
  if (warp == 0) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const Value sum = warp_reduce<warps>(of_warp[r][lane < warps ? lane : 0], monoid);
      const Value everywhere = broadcast(sum);
      if (lane == r) total = everywhere;
    }
  }
  return total;
}

// The part of a block in few long rows: block g * shares + s owns share s of the rows from g * Rows.
template <int Threads, int Rows>
struct RowShare {
  int share;
  int group;
  std::int64_t first;  // the first row

  __device__ __forceinline__ explicit RowShare(int shares)
      : share(static_cast<int>(blockIdx.x) % shares),
        group(static_cast<int>(blockIdx.x) / shares),
        first(std::int64_t{group} * Rows) {}

  // Combines the share over the block; row r is valid in thread r.
  template <int Unroll, class S, class M>
  __device__ __forceinline__ typename M::Value reduce(const S& source, std::int64_t rows, std::int64_t cols,
                                                      M monoid, int shares) const {
    typename M::Value sum[Rows];
    fold_rows<Rows, Unroll>(source, first, rows, cols, std::int64_t{share} * Threads + threadIdx.x,
                            std::int64_t{shares} * Threads, monoid, sum);
    let_next_grid_start();
    return block_reduce_rows<Threads, Rows>(sum, monoid);
  }
};

// Few long rows: of the blocks of a row group, the one that draws the last ticket combines the shares in
// order. One share needs no ticket.
template <int Threads, int Rows, int Unroll, class S, class M>
__global__ void __launch_bounds__(Threads)
    long_rows_kernel(S source, std::int64_t rows, std::int64_t cols, M monoid, int shares,
                     typename M::Value* partial, std::uint32_t* tickets, typename M::Value* result) {
  using Value = typename M::Value;
  wait_for_previous_grid();
  const RowShare<Threads, Rows> owned(shares);
  const auto [share, group, first] = owned;
  const Value total = owned.template reduce<Unroll>(source, rows, cols, monoid, shares);
  const int lane = threadIdx.x;
  if (lane >= 32) return;
  if (shares == 1) {
    if (lane < Rows && first + lane < rows) result[first + lane] = total;
    return;
  }
  Value* mine = partial + std::int64_t{group} * shares * Rows;
  if (lane < Rows) mine[share * Rows + lane] = total;
  __syncwarp();
  unsigned ticket = 0;
  if (lane == 0) {
    __threadfence();
    ticket = draw_ticket(tickets + group, shares);
  }
  if (__shfl_sync(all_lanes, ticket, 0) != shares - 1) return;
  __syncwarp();
  // lane = row + Rows * k: lane k of a row combines the shares k, k + 32 / Rows, ...
  Value v = monoid.identity();
  for (int s = lane / Rows; s < shares; s += 32 / Rows) v = monoid(v, mine[s * Rows + lane % Rows]);
#pragma unroll
  for (int offset = 16; offset >= Rows; offset /= 2) v = monoid(v, shuffle_down(v, offset));
  if (lane < Rows && first + lane < rows) result[first + lane] = v;
}

// The same with the shares of a row group as the blocks of one cluster, which combine through distributed
// shared memory: no partial values in global memory, no ticket. Needs compute capability 9.0.
template <int Threads, int Rows, int Unroll, class S, class M>
__global__ void __launch_bounds__(Threads)
    cluster_rows_kernel(S source, std::int64_t rows, std::int64_t cols, M monoid, int shares,
                        typename M::Value* result) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using Value = typename M::Value;
  __shared__ Value of_share[max_cluster_shares][Rows];
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();
  wait_for_previous_grid();
  const RowShare<Threads, Rows> owned(shares);
  const auto [share, group, first] = owned;
  const Value total = owned.template reduce<Unroll>(source, rows, cols, monoid, shares);
  cluster.barrier_wait();
  const int lane = threadIdx.x;
  if (lane < Rows) cluster.map_shared_rank(&of_share[share][lane], 0)[0] = total;
  cluster.sync();
  if (share != 0 || lane >= Rows || first + lane >= rows) return;
  Value v = of_share[0][lane];
  for (int s = 1; s < shares; ++s) v = monoid(v, of_share[s][lane]);
  result[first + lane] = v;
#endif
}

// Many short rows: Lanes adjacent lanes of a warp own a row. No block waits for another.
template <int Threads, int Lanes, int Unroll, class S, class M>
__global__ void __launch_bounds__(Threads)
    short_rows_kernel(S source, std::int64_t rows, std::int64_t cols, M monoid, typename M::Value* result) {
  using Value = typename M::Value;
  let_next_grid_start();
  wait_for_previous_grid();
  constexpr int rows_per_block = Threads / Lanes;
  const int lane = threadIdx.x % Lanes;
  const std::int64_t stride = std::int64_t{gridDim.x} * rows_per_block;
  // all lanes of a warp make the same number of iterations, as the shuffles need
  for (std::int64_t base = std::int64_t{blockIdx.x} * rows_per_block; base < rows; base += stride) {
    const std::int64_t row = base + threadIdx.x / Lanes;
    Value v[1];
    fold_rows<1, Unroll>(source, row, rows, cols, lane, Lanes, monoid, v);
    v[0] = warp_reduce<Lanes>(v[0], monoid);
    if (lane == 0 && row < rows) result[row] = v[0];
  }
}

}  // namespace triptych::reduction::detail
