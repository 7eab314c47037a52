// One large array of random numbers on the GPU, the input of all measurements of a type, with its known sums.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/matrix_view.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace triptych::bench {

namespace detail {
// Frees the existing pool of any type.
inline std::function<void()>& release_pool() {
  static std::function<void()> release;
  return release;
}
}  // namespace detail

// Floats are in [0, 1), integers have any value. The array repeats a block of random numbers, so that the sum
// of every prefix is known without a pass over it.
template <class T>
class GpuPool {
 public:
  // The pool of this type. A pool of another type is freed first.
  static GpuPool& instance() {
    static std::unique_ptr<GpuPool> pool;
    if (!pool) {
      if (detail::release_pool()) detail::release_pool()();
      pool.reset(new GpuPool());
      detail::release_pool() = [] { pool.reset(); };
    }
    return *pool;
  }

  static int largest_power() {
    const double memory = static_cast<double>(Device::cuda().properties().memory_bytes);
    return std::min(30, static_cast<int>(std::log2(0.7 * memory / sizeof(T))));
  }

  std::int64_t size() const { return buffer_.size(); }
  const T* values() const { return buffer_.data(); }

  // Range k (modulo the number of ranges that fit) of n elements; 256-byte aligned.
  const T* values_at(int k, std::int64_t n) const {
    const std::int64_t step = (n * std::int64_t{sizeof(T)} + 255) / 256 * 256 / std::int64_t{sizeof(T)};
    const std::int64_t ranges = std::max<std::int64_t>(1, std::min<std::int64_t>(size() / 2 / step, 4096));
    // far apart, so that a few small ranges do not fit the cache together
    const std::int64_t stride = std::max(step, (size() / 2 / ranges) / 64 * 64);
    return buffer_.data() + (k % ranges) * stride;
  }

  double sum(std::int64_t n) const {
    const std::int64_t blocks = n / block;
    return static_cast<double>(blocks) * sums_.back() + sums_[static_cast<std::size_t>(n % block)];
  }
  T integer_sum(std::int64_t n) const {
    return static_cast<T>(static_cast<std::uint64_t>(n / block) * integer_sums_.back() +
                          integer_sums_[static_cast<std::size_t>(n % block)]);
  }

  template <class R>
  R download(const R* value, StreamRef stream) const {
    R host{};
    copy_to_host(DeviceSpan<const R>(value, 1), std::span<R>(&host, 1), stream);
    stream.synchronize();
    return host;
  }

  // Throws unless y = A x up to 1e-5 of the norm of the product, which is computed in double precision;
  // samples about 16 rows.
  void check_product(DeviceMatrixView<const T> a, DeviceSpan<const T> x, DeviceSpan<const T> y,
                     StreamRef stream) const {
    const auto host = [&](const T* data, std::int64_t n) {
      std::vector<T> values(static_cast<std::size_t>(n));
      copy_to_host(DeviceSpan<const T>(data, n), std::span<T>(values), stream);
      stream.synchronize();
      return values;
    };
    const auto host_x = host(x.data(), x.size());
    const auto host_y = host(y.data(), y.size());
    double error = 0, norm = 0;
    for (std::int64_t r = 0; r < a.rows(); r += std::max<std::int64_t>(1, a.rows() / 16)) {
      const auto row = host(a.row(r).data(), a.cols());
      double exact = 0;
      for (std::size_t c = 0; c < row.size(); ++c) exact += double{row[c]} * double{host_x[c]};
      error += std::pow(host_y[static_cast<std::size_t>(r)] - exact, 2);
      norm += exact * exact;
    }
    if (!(std::sqrt(error) <= 1e-5 * std::sqrt(norm))) throw std::runtime_error("wrong product");
  }

 private:
  static constexpr std::int64_t block = std::int64_t{1} << 22;

  GpuPool() : buffer_(std::int64_t{1} << largest_power()) {
    std::vector<T> values(static_cast<std::size_t>(block));
    sums_.push_back(0);
    integer_sums_.push_back(0);
    PhiloxStream random(7, 0);
    for (T& value : values) {
      if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>((std::uint64_t{random.next()} << 32) | random.next());
        integer_sums_.push_back(integer_sums_.back() +
                                static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
      } else {
        value = static_cast<T>(random.next() >> 8) / (1 << 24);
        sums_.push_back(sums_.back() + static_cast<double>(value));
      }
    }
    Stream stream;
    for (std::int64_t first = 0; first < size(); first += block) {
      const std::int64_t count = std::min(block, size() - first);
      copy_to_device(std::span<const T>(values).first(static_cast<std::size_t>(count)),
                     buffer_.span().subspan(first, count), stream);
    }
    stream.ref().synchronize();
  }

  DeviceBuffer<T> buffer_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> integer_sums_;
};

}  // namespace triptych::bench
