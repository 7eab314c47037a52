// MatrixView and DeviceMatrixView: non-owning, row-major matrices whose rows lie stride() elements apart. The
// two are different types: MatrixView is read on the host, DeviceMatrixView in kernels.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/span.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

namespace triptych {

template <class T, Space space>
class BasicMatrixView {
 public:
  using element_type = T;

  BasicMatrixView() = default;

  // A contiguous matrix: stride() == cols.
  TRIPTYCH_HD BasicMatrixView(T* data, std::int64_t rows, std::int64_t cols)
      : BasicMatrixView(data, rows, cols, cols) {}

  // InvalidArgument (on the host) when a size is negative, the stride is smaller than cols, the number of
  // bytes overflows, or data is null and the matrix is not empty.
  TRIPTYCH_HD BasicMatrixView(T* data, std::int64_t rows, std::int64_t cols, std::int64_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {
    require_on_host(rows >= 0 && cols >= 0, "a matrix cannot have ", rows, " rows and ", cols, " columns");
    require_on_host(stride >= cols, "a matrix of ", cols, " columns needs a stride of at least that, not ",
                    stride);
    require_on_host(rows == 0 || stride <= max_elements / rows, "a matrix of ", rows, " rows, ", stride,
                    " elements apart, is larger than the address space");
    require_on_host(data != nullptr || empty(), "a matrix of ", rows, " x ", cols,
                    " has no data (null pointer)");
  }

  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) TRIPTYCH_HD
      BasicMatrixView(BasicMatrixView<U, space> other)
      : data_(other.data()), rows_(other.rows()), cols_(other.cols()), stride_(other.stride()) {}

  TRIPTYCH_HD T* data() const { return data_; }
  TRIPTYCH_HD std::int64_t rows() const { return rows_; }
  TRIPTYCH_HD std::int64_t cols() const { return cols_; }
  TRIPTYCH_HD std::int64_t stride() const { return stride_; }
  TRIPTYCH_HD bool empty() const { return rows_ == 0 || cols_ == 0; }
  TRIPTYCH_HD bool is_contiguous() const { return stride_ == cols_ || rows_ <= 1; }

  // InvalidArgument (on the host) unless 0 <= r < rows().
  std::span<T> row(std::int64_t r) const requires(space == Space::host) {
    return {row_data(r), static_cast<std::size_t>(cols_)};
  }
  TRIPTYCH_HD DeviceSpan<T> row(std::int64_t r) const requires(space == Space::device) {
    return {row_data(r), cols_};
  }

  // Unchecked element access.
  T& operator()(std::int64_t r, std::int64_t c) const requires(space == Space::host) {
    return data_[r * stride_ + c];
  }
#if defined(__CUDACC__)
  __device__ T& operator()(std::int64_t r, std::int64_t c) const requires(space == Space::device) {
    return data_[r * stride_ + c];
  }
#endif

 private:
  static constexpr std::int64_t max_elements = INT64_MAX / static_cast<std::int64_t>(sizeof(T));

  TRIPTYCH_HD T* row_data(std::int64_t r) const {
    require_on_host(r >= 0 && r < rows_, "row ", r, " lies outside a matrix of ", rows_, " rows");
    return data_ + r * stride_;
  }

  T* data_ = nullptr;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::int64_t stride_ = 0;
};

template <class T>
using MatrixView = BasicMatrixView<T, Space::host>;
template <class T>
using DeviceMatrixView = BasicMatrixView<T, Space::device>;

}  // namespace triptych
