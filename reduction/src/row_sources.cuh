// The row sources of row_sums_cuda and multiply_cuda: the contribution of one column of one row.
#pragma once

#include <triptych/reduction/source.hpp>

namespace triptych::reduction {

// The elements of a row-major matrix.
struct MatrixRows {
  static constexpr int pack_size = 4;
  using Pack = reduction::Pack<float, pack_size>;
  struct Column {};

  const float* data;
  std::int64_t stride;

  __device__ bool aligned() const { return detail::is_16_byte_aligned(data) && stride % pack_size == 0; }
  __device__ Column column(std::int64_t) const { return {}; }
  __device__ Column column_aligned(std::int64_t) const { return {}; }
  __device__ Pack load(std::int64_t row, std::int64_t col) const {
    Pack pack;
    for (int k = 0; k < pack_size; ++k) pack.element[k] = data[row * stride + col + k];
    return pack;
  }
  __device__ Pack load_aligned(std::int64_t row, std::int64_t col) const {
    return detail::load_16_bytes<float, pack_size>(data + row * stride + col);
  }
  template <class M>
  __device__ float fold(Pack pack, Column, M monoid) const {
    return detail::combine_tree(pack.element, monoid);
  }
  __device__ float operator()(std::int64_t row, std::int64_t col) const { return data[row * stride + col]; }
};

// The same, multiplied by a vector. All rows read the vector, so that its loads are cached.
struct MatrixTimesVector {
  static constexpr int pack_size = MatrixRows::pack_size;
  using Pack = MatrixRows::Pack;
  using Column = Pack;

  MatrixRows matrix;
  const float* x;

  __device__ bool aligned() const { return matrix.aligned() && detail::is_16_byte_aligned(x); }
  __device__ Column column(std::int64_t col) const {
    Column column;
    for (int k = 0; k < pack_size; ++k) column.element[k] = x[col + k];
    return column;
  }
  __device__ Column column_aligned(std::int64_t col) const {
    const float4 v = __ldg(reinterpret_cast<const float4*>(x + col));
    return {{v.x, v.y, v.z, v.w}};
  }
  __device__ Pack load(std::int64_t row, std::int64_t col) const { return matrix.load(row, col); }
  __device__ Pack load_aligned(std::int64_t row, std::int64_t col) const {
    return matrix.load_aligned(row, col);
  }
  template <class M>
  __device__ float fold(Pack pack, const Column& column, M monoid) const {
    TRIPTYCH_UNROLL
    for (int k = 0; k < pack_size; ++k) pack.element[k] *= column.element[k];
    return detail::combine_tree(pack.element, monoid);
  }
  __device__ float operator()(std::int64_t row, std::int64_t col) const { return matrix(row, col) * x[col]; }
};

}  // namespace triptych::reduction
