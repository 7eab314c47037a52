#include "gpu_side.hpp"

#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <algorithm>
#include <cstring>

namespace triptych::skin_tracker {

namespace {

// No sum is ever this: the kernel has not written the word yet.
constexpr std::uint64_t not_yet = std::uint64_t{1} << 63;
constexpr std::size_t sum_words = sizeof(Sums) / sizeof(std::uint64_t);

// Whether the GPU can fetch from there by itself.
bool is_page_locked(const void* data) {
  cudaPointerAttributes attributes{};
  TRIPTYCH_CUDA_CHECK(cudaPointerGetAttributes(&attributes, data));
  return attributes.type != cudaMemoryTypeUnregistered;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

Device activated(Device device) {
  device.activate();
  return device;
}

}  // namespace

GpuSlot::GpuSlot(const std::optional<LinearFilter>& filter, DeviceSpan<const std::uint16_t> table,
                 FrameFormat format, int width, int height, Device device)
    : filter_(filter),
      table_(table),
      format_(format),
      width_(width),
      height_(height),
      device_(activated(device)) {
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
  workspace_.reserve(0, stream_);
}

GpuSlot::~GpuSlot() { abandon(); }

void GpuSlot::abandon() noexcept {
  try {
    stream_.synchronize();
  } catch (...) {  // it has ended, if by an error
  }
}

int GpuSlot::plan(const Frame& frame, const Region& region) {
  // Small pieces let the GPU fetch the first while the cores still fill the others; each has its price.
  constexpr std::int64_t piece_bytes = 256 << 10;
  source_ = frame;
  region_ = region;
  first_row_ = region.y;
  last_row_ = region.y + region.height;
  if (format_ == FrameFormat::nv12) {  // U and V belong to two rows
    first_row_ = first_row_ / 2 * 2;
    last_row_ = std::min((last_row_ + 1) / 2 * 2, height_);
  }
  page_locked_ =
      is_page_locked(frame.data()) && (frame.chroma() == nullptr || is_page_locked(frame.chroma()));
  const int rows = last_row_ - first_row_;
  piece_rows_ =
      page_locked_ ? rows : static_cast<int>(std::max<std::int64_t>(2, piece_bytes / plane_.pitch / 2 * 2));
  pieces_ = (rows + piece_rows_ - 1) / piece_rows_;
  sent_ = 0;
  return pieces_;
}

void GpuSlot::put(int piece) {
  device_.activate();
  const int first = first_row_ + piece * piece_rows_;
  const int last = std::min(first + piece_rows_, last_row_);
  put_plane(source_->data(), source_->pitch_bytes(), plane_, first, last);
  const bool two = format_ == FrameFormat::nv12;
  if (two) put_plane(source_->chroma(), source_->chroma_pitch_bytes(), chroma_, first / 2, last / 2);
  if (sent_.fetch_add(1) != pieces_ - 1) return;
  start_sums({format_, frame_.data(), width_, height_, plane_.pitch,
              two ? frame_.data() + chroma_.offset : nullptr, two ? chroma_.pitch : 0},
             region_);
}

void GpuSlot::start(const DeviceFrame& frame, const Region& region) {
  device_.activate();
  start_sums(frame, region);
}

void GpuSlot::put_plane(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane,
                        std::int64_t first, std::int64_t last) {
  if (page_locked_) return copy_rows(from + first * from_pitch, from_pitch, plane, first, last);
  std::uint8_t* to = staging_.data() + plane.offset;
  for (std::int64_t row = first; row < last; ++row)
    std::memcpy(to + row * plane.pitch, from + row * from_pitch, static_cast<std::size_t>(plane.row_bytes));
  copy_rows(to + first * plane.pitch, plane.pitch, plane, first, last);
}

// Rows from page-locked memory, `from` being the first of them.
void GpuSlot::copy_rows(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane,
                        std::int64_t first, std::int64_t last) {
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

void GpuSlot::start_sums(const DeviceFrame& frame, const Region& region) {
  auto* word = reinterpret_cast<std::uint64_t*>(sums_.data());
  for (std::size_t k = 0; k < sum_words; ++k)
    std::atomic_ref(word[k]).store(not_yet, std::memory_order_release);
  if (filter_) {
    sum_cuda(frame, region, *filter_, sums_.data(), {}, workspace_, stream_);
  } else {
    sum_cuda(frame, region, table_, sums_.data(), {}, workspace_, stream_);
  }
}

bool GpuSlot::is_done() const {
  auto* word = const_cast<std::uint64_t*>(reinterpret_cast<const std::uint64_t*>(sums_.data()));
  for (std::size_t k = 0; k < sum_words; ++k) {
    if (std::atomic_ref(word[k]).load(std::memory_order_acquire) == not_yet) return false;
  }
  return true;
}

// Watching the words is some microseconds quicker than to ask the driver, which is asked now and then all the
// same: it knows of errors.
Sums GpuSlot::wait() {
  constexpr int looks_a_question = 4096;
  for (int looks = 1; !is_done(); ++looks) {
    relax();
    if (looks % looks_a_question != 0) continue;
    const cudaError_t code = cudaStreamQuery(to_cuda(stream_));
    if (code == cudaErrorNotReady) {
      cudaGetLastError();  // no error, but kept as one
      continue;
    }
    TRIPTYCH_CUDA_CHECK(code);
    break;  // all is done, and visible
  }
  return *sums_.data();
}

}  // namespace triptych::skin_tracker
