// The summers that use a GPU: alone, or beside the CPU.
#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/skin_tracker/locate.hpp>
#include <triptych/skin_tracker/split.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "sample_cpu.hpp"
#include "sample_cuda.hpp"
#include "summer.hpp"

namespace triptych::skin_tracker {

namespace {

// A linear filter is calculated, anything else looked up.
struct Weighing {
  std::optional<LinearFilter> filter;
  std::optional<WeightTable<std::uint16_t>> table;

  explicit Weighing(const Classifier& classifier) {
    if (const auto* linear = std::get_if<LinearFilter>(&classifier)) {
      filter = *linear;
    } else {
      table.emplace(classifier);
    }
  }
  Sums sum(const Frame& frame, const Region& region, int threads) const {
    return filter ? sum_cpu(frame, region, *filter, threads) : sum_cpu(frame, region, *table, threads);
  }
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) const {
    filter ? sample_cpu(frame, region, step, *filter, weights)
           : sample_cpu(frame, region, step, *table, weights);
  }
};

// One plane of a frame: where it lies on the GPU and in page-locked memory, in the same layout.
struct Plane {
  std::int64_t offset = 0, pitch = 0, row_bytes = 0;
};

// Whether the GPU can fetch from there by itself.
bool is_page_locked(const void* data) {
  cudaPointerAttributes attributes{};
  TRIPTYCH_CUDA_CHECK(cudaPointerGetAttributes(&attributes, data));
  return attributes.type != cudaMemoryTypeUnregistered;
}

// What lies on the GPU for one tracker. enqueue() returns before the GPU is done, wait() with the sums.
class GpuSide {
 public:
  GpuSide(const Weighing& weighing, FrameFormat format, int width, int height, int ordinal)
      : device_(activated(ordinal)),
        format_(format),
        width_(width),
        height_(height),
        filter_(weighing.filter) {
    const auto rows = std::int64_t{height};
    const auto round_up = [](std::int64_t bytes) { return (bytes + 15) / 16 * 16; };
    const std::int64_t row_bytes = std::int64_t{width} * bytes_per_pixel(format);
    plane_ = {0, round_up(row_bytes), row_bytes};
    std::int64_t bytes = plane_.pitch * rows;
    if (format == FrameFormat::nv12) {
      chroma_ = {bytes, round_up(width), width};
      bytes += chroma_.pitch * (rows / 2);
    }
    frame_ = DeviceBuffer<std::uint8_t>(bytes);
    staging_ = PinnedBuffer<std::uint8_t>(bytes);
    sums_ = PinnedBuffer<Sums>(1);
    if (weighing.table) {
      table_ = DeviceBuffer<std::uint16_t>(static_cast<std::int64_t>(weighing.table->weights().size()));
      copy_to_device(weighing.table->weights(), table_.span(), stream_);
      stream_.synchronize();
    }
    workspace_.reserve(0, stream_);
  }

  void enqueue(const Frame& frame, const Region& region, bool again) {
    device_.activate();
    begin_.record(stream_);
    upload(frame, region.y, region.y + region.height, again && frame.data() == uploaded_data_);
    const bool two = format_ == FrameFormat::nv12;
    enqueue_sums({format_, frame_.data(), width_, height_, plane_.pitch,
                  two ? frame_.data() + chroma_.offset : nullptr, two ? chroma_.pitch : 0},
                 region);
    end_.record(stream_);
  }

  void enqueue(const DeviceFrame& frame, const Region& region) {
    device_.activate();
    enqueue_sums(frame, region);
  }

  Sums wait() {
    stream_.synchronize();
    return *sums_.data();
  }

  // Ready when it returns.
  void sample(const DeviceFrame& frame, const Region& region, int step, std::span<std::uint16_t> weights) {
    const auto size = static_cast<std::int64_t>(weights.size());
    require(step >= 1 && size == std::int64_t{region.width / step} * (region.height / step), "room for ",
            size, " samples is not that for a region of ", region.width, " x ", region.height,
            " in steps of ", step);
    device_.activate();
    if (samples_.size() < size) samples_ = PinnedBuffer<std::uint16_t>(size);
    if (filter_) {
      sample_cuda(frame, region, step, *filter_, samples_.data(), stream_);
    } else {
      sample_cuda(frame, region, step, table_.span(), samples_.data(), stream_);
    }
    stream_.synchronize();
    std::copy_n(samples_.data(), weights.size(), weights.begin());
  }

  // Of what enqueue(Frame) put on the stream.
  bool done() const { return end_.query(); }
  double elapsed_us() const { return 1e3 * Event::elapsed_ms(begin_, end_); }

 private:
  static Device activated(int ordinal) {
    Device device = Device::cuda(ordinal);
    device.activate();
    return device;
  }

  // The kernel leaves its 48 bytes in page-locked memory, which the GPU reaches by the same address.
  void enqueue_sums(const DeviceFrame& frame, const Region& region) {
    const reduction::Options options{reduction::Strategy::single_pass, reduction::Determinism::gpu_to_gpu, 0};
    if (filter_) {
      sum_cuda(frame, region, *filter_, sums_.data(), options, workspace_, stream_);
    } else {
      sum_cuda(frame, region, table_.span(), sums_.data(), options, workspace_, stream_);
    }
  }

  // Puts the rows [first, last) on the GPU, those that are not there yet when the frame is the same.
  void upload(const Frame& frame, int first, int last, bool same) {
    if (format_ == FrameFormat::nv12) {  // U and V belong to two rows
      first = first / 2 * 2;
      last = std::min((last + 1) / 2 * 2, height_);
    }
    if (!same || uploaded_first_ == uploaded_last_) {
      uploaded_data_ = nullptr;  // should a copy fail, nothing is there
      upload_rows(frame, first, last);
      uploaded_first_ = first;
      uploaded_last_ = last;
    } else {
      if (first < uploaded_first_) upload_rows(frame, first, uploaded_first_);
      if (last > uploaded_last_) upload_rows(frame, uploaded_last_, last);
      uploaded_first_ = std::min(first, uploaded_first_);
      uploaded_last_ = std::max(last, uploaded_last_);
    }
    uploaded_data_ = frame.data();
  }

  void upload_rows(const Frame& frame, int first, int last) {
    upload_plane(frame.data(), frame.pitch_bytes(), plane_, first, last);
    if (format_ == FrameFormat::nv12)
      upload_plane(frame.chroma(), frame.chroma_pitch_bytes(), chroma_, first / 2, last / 2);
  }

  void upload_plane(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane, std::int64_t first,
                    std::int64_t last) {
    if (first >= last) return;
    if (!is_page_locked(from)) return upload_staged(from, from_pitch, plane, first, last);
    copy_rows(from + first * from_pitch, from_pitch, plane, first, last);
  }

  // Pageable memory goes through page-locked memory, piece by piece: while the GPU fetches one, the cores
  // fill the next. The piece that a frame writes is not in use: wait() came after the last frame.
  void upload_staged(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane,
                     std::int64_t first, std::int64_t last) {
    constexpr std::int64_t piece_bytes = 1 << 20;
    const std::int64_t piece_rows = std::max<std::int64_t>(1, piece_bytes / plane.pitch);
    for (std::int64_t row = first; row < last; row += piece_rows) {
      const std::int64_t end = std::min(row + piece_rows, last);
      std::uint8_t* to = staging_.data() + plane.offset;
      parallel_for(row, end, 0, [&](std::int64_t r) {
        std::memcpy(to + r * plane.pitch, from + r * from_pitch, static_cast<std::size_t>(plane.row_bytes));
      });
      copy_rows(to + row * plane.pitch, plane.pitch, plane, row, end);
    }
  }

  // Rows from page-locked memory, `from` being the first of them.
  void copy_rows(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane, std::int64_t first,
                 std::int64_t last) {
    std::uint8_t* to = frame_.data() + plane.offset + first * plane.pitch;
    const auto row_bytes = static_cast<std::size_t>(plane.row_bytes);
    const auto rows = static_cast<std::size_t>(last - first);
    if (from_pitch == plane.pitch) {  // one run of bytes; what follows the last row may not be there
      const auto bytes = (rows - 1) * static_cast<std::size_t>(plane.pitch) + row_bytes;
      TRIPTYCH_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, to_cuda(stream_)));
    } else {
      TRIPTYCH_CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(plane.pitch), from,
                                            static_cast<std::size_t>(from_pitch), row_bytes, rows,
                                            cudaMemcpyHostToDevice, to_cuda(stream_)));
    }
  }

  Device device_;
  FrameFormat format_;
  int width_, height_;
  std::optional<LinearFilter> filter_;
  Plane plane_, chroma_;
  Stream stream_;
  Event begin_, end_;
  Workspace workspace_;
  DeviceBuffer<std::uint8_t> frame_;
  PinnedBuffer<std::uint8_t> staging_;
  PinnedBuffer<Sums> sums_;
  PinnedBuffer<std::uint16_t> samples_{16384};
  DeviceBuffer<std::uint16_t> table_;
  const std::uint8_t* uploaded_data_ = nullptr;  // the frame whose rows [first, last) are on the GPU
  int uploaded_first_ = 0, uploaded_last_ = 0;
};

bool is_empty(const Region& region) { return region.width == 0 || region.height == 0; }

class CudaSummer : public Summer {
 public:
  CudaSummer(const Classifier& classifier, FrameFormat format, int width, int height, int ordinal)
      : weighing_(classifier), gpu_(weighing_, format, width, height, ordinal) {}

  Sums sum(const Frame& frame, const Region& region, bool again) override {
    gpu_rows_ = region.height;
    if (is_empty(region)) return {};
    gpu_.enqueue(frame, region, again);
    return gpu_.wait();
  }
  Sums sum(const DeviceFrame& frame, const Region& region, bool) override {
    gpu_rows_ = region.height;
    if (is_empty(region)) return {};
    gpu_.enqueue(frame, region);
    return gpu_.wait();
  }
  // A few pixels of a frame on the host are quicker looked at there than sent.
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) override {
    weighing_.sample(frame, region, step, weights);
  }
  void sample(const DeviceFrame& frame, const Region& region, int step,
              std::span<std::uint16_t> weights) override {
    gpu_.sample(frame, region, step, weights);
  }
  int gpu_rows() const override { return gpu_rows_; }

 protected:
  Weighing weighing_;
  GpuSide gpu_;
  int gpu_rows_ = 0;
};

// Frames on the host are shared; one on the GPU the CPU cannot read.
class JointSummer : public CudaSummer {
 public:
  JointSummer(const Classifier& classifier, FrameFormat format, int width, int height, int ordinal,
              int threads)
      : CudaSummer(classifier, format, width, height, ordinal),
        splitter_(height),
        threads_(threads > 0 ? threads : default_threads()) {}

  using CudaSummer::sum;
  Sums sum(const Frame& frame, const Region& region, bool again) override {
    if (is_empty(region)) return {};
    // The models know whole rows: of a narrower region they share the rows, and learn nothing.
    const bool whole = region == frame.whole();
    const auto share = static_cast<int>(
        whole ? splitter_.next_gpu_share() : balanced_share(splitter_.gpu(), splitter_.cpu(), region.height));
    gpu_rows_ = share < region.height ? share / 2 * 2 : region.height;
    const Region upper{region.x, region.y, region.width, gpu_rows_};
    const Region lower{region.x, region.y + gpu_rows_, region.width, region.height - gpu_rows_};
    const Stopwatch watch;
    Sums sums;
    try {
      sums = start_gpu_and_sum(frame, upper, lower, again);
      const double cpu_us = watch.elapsed_us();
      if (gpu_rows_ > 0) {
        const bool waited = !gpu_.done();
        sums += gpu_.wait();
        const double gpu_us = waited ? watch.elapsed_us() : started_us_ + gpu_.elapsed_us();
        if (whole) splitter_.report(gpu_rows_, gpu_us, cpu_us);
      } else if (whole) {
        splitter_.report(0, 0, cpu_us);
      }
    } catch (...) {
      gpu_.wait();  // the frame is the caller's again
      throw;
    }
    return sums;
  }

 private:
  // One loop over the cores, whose first task is to put the GPU to work: the others do not wait for that.
  Sums start_gpu_and_sum(const Frame& frame, const Region& upper, const Region& lower, bool again) {
    const Stopwatch watch;
    const int most = static_cast<int>(parts_.size());
    const int pieces = std::clamp(6 * threads_, 1, most);
    const int rows = std::max(2, (lower.height + pieces - 1) / pieces);
    const int count = (lower.height + rows - 1) / rows;
    parallel_chunks(count + 1, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i == 0) {
        if (upper.height == 0) return;
        started_us_ = watch.elapsed_us();
        return gpu_.enqueue(frame, upper, again);
      }
      const int first = static_cast<int>(i - 1) * rows;
      const Region piece{lower.x, lower.y + first, lower.width, std::min(rows, lower.height - first)};
      parts_[static_cast<std::size_t>(i - 1)] = weighing_.sum(frame, piece, 1);
    });
    Sums sums;
    for (int i = 0; i < count; ++i) sums += parts_[static_cast<std::size_t>(i)];
    return sums;
  }

  Splitter splitter_;
  int threads_;
  double started_us_ = 0;  // when the GPU was put to work
  std::array<Sums, 512> parts_{};
};

}  // namespace

std::unique_ptr<Summer> make_cuda_summer(const Classifier& classifier, FrameFormat format, int width,
                                         int height, int ordinal) {
  return std::make_unique<CudaSummer>(classifier, format, width, height, ordinal);
}

std::unique_ptr<Summer> make_joint_summer(const Classifier& classifier, FrameFormat format, int width,
                                          int height, int ordinal, int threads) {
  return std::make_unique<JointSummer>(classifier, format, width, height, ordinal, threads);
}

}  // namespace triptych::skin_tracker
