#include <triptych/core/cpu_pause.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/gpu_slot.hpp"
#include "engine/pinned_frame.hpp"
#include "moments/cuda/moments_cuda.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace triptych::skin_tracker {

namespace {

// No moment has this value: the kernel has not written the word yet.
constexpr std::uint64_t not_yet = std::uint64_t{1} << 63;
constexpr std::size_t moment_words = sizeof(Moments) / sizeof(std::uint64_t);

// With non-temporal stores where the machine has them: the host does not read the copy again, and the GPU
// reads memory faster than the cores' caches. `to` is aligned to 16 bytes.
void copy_past_caches(std::uint8_t* to, const std::uint8_t* from, std::int64_t bytes) {
  std::int64_t done = 0;
#if defined(__x86_64__)
  for (; done + 16 <= bytes; done += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done)));
#endif
  std::memcpy(to + done, from + done, static_cast<std::size_t>(bytes - done));
}
void finish_copies() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace

GpuSlot::GpuSlot(std::shared_ptr<const PixelWeights> weights, FrameFormat format, int width, int height)
    : weights_(std::move(weights)),
      format_(format),
      width_(width),
      height_(height),
      device_(activated(weights_->gpu().value())) {
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
  moments_ = PinnedBuffer<Moments>(1);
  workspace_.reserve(0, stream_);
  // A warm-up run: otherwise the first frame would wait for the driver to load code.
  std::memset(staging_.data(), 0, static_cast<std::size_t>(bytes));
  const bool two = format == FrameFormat::nv12;
  const Frame black(format, staging_.data(), width, height, plane_.pitch,
                    two ? staging_.data() + chroma_.offset : nullptr, two ? chroma_.pitch : 0);
  plan(black, black.whole());
  put(0);
  wait();
  source_.reset();
}

GpuSlot::~GpuSlot() { abandon(); }

void GpuSlot::abandon() noexcept {
  try {
    stream_.synchronize();
  } catch (...) {  // it has ended, if by an error
  }
}

int GpuSlot::plan(const Frame& frame, const PixelBox& region) {
  // The GPU copies one group while the threads stage the next; one copy call per piece would cost more than
  // it gains.
  constexpr std::int64_t group_bytes = 1 << 20;
  constexpr int pieces_per_group = 8;
  source_ = frame;
  region_ = region;
  first_row_ = region.y;
  last_row_ = region.y + region.height;
  if (format_ == FrameFormat::nv12) {  // U and V belong to two rows
    first_row_ = first_row_ / 2 * 2;
    last_row_ = std::min((last_row_ + 1) / 2 * 2, height_);
  }
  pinned_ = pinned_frame_info(frame).pinned;
  const int rows = last_row_ - first_row_;
  const auto parts = [](int all, int one) { return (all + one - 1) / one; };
  if (pinned_) {
    piece_rows_ = group_rows_ = rows;
  } else {
    const auto wanted = static_cast<int>(group_bytes / pieces_per_group / plane_.pitch);
    const int least = parts(rows, pieces_per_group * max_groups);
    piece_rows_ = (std::max({wanted, least, 1}) + 1) / 2 * 2;
    group_rows_ = pieces_per_group * piece_rows_;
  }
  groups_ = parts(rows, group_rows_);
  for (int g = 0; g < groups_; ++g) {
    const int first = g * group_rows_;
    left_[static_cast<std::size_t>(g)] = parts(std::min(group_rows_, rows - first), piece_rows_);
  }
  sent_ = 0;
  return parts(rows, piece_rows_);
}

void GpuSlot::put(int piece) {
  const int first = first_row_ + piece * piece_rows_;
  if (!pinned_) stage(first, std::min(first + piece_rows_, last_row_));
  const int group = piece * piece_rows_ / group_rows_;
  if (--left_[static_cast<std::size_t>(group)] > 0) return;
  device_.activate();
  const int group_first = first_row_ + group * group_rows_;
  send(group_first, std::min(group_first + group_rows_, last_row_));
  if (++sent_ < groups_) return;
  const bool two = format_ == FrameFormat::nv12;
  start_moments({format_, frame_.data(), width_, height_, plane_.pitch,
                 two ? frame_.data() + chroma_.offset : nullptr, two ? chroma_.pitch : 0},
                region_);
}

void GpuSlot::start(const DeviceFrame& frame, const PixelBox& region) {
  device_.activate();
  start_moments(frame, region);
}

// Calls of(plane, its bytes in the frame, their pitch, first and last row of the plane) for each plane.
template <class Of>
void GpuSlot::for_planes(int first, int last, Of of) const {
  of(plane_, source_->data(), source_->pitch_bytes(), first, last);
  if (format_ == FrameFormat::nv12)
    of(chroma_, source_->chroma(), source_->chroma_pitch_bytes(), first / 2, last / 2);
}

// Into pinned memory.
void GpuSlot::stage(int first, int last) {
  for_planes(first, last,
             [this](const Plane& plane, const std::uint8_t* from, std::int64_t pitch, int begin, int end) {
               std::uint8_t* to = staging_.data() + plane.offset;
               for (std::int64_t row = begin; row < end; ++row)
                 copy_past_caches(to + row * plane.pitch, from + row * pitch, plane.row_bytes);
             });
  finish_copies();
}

// To the GPU.
void GpuSlot::send(int first, int last) {
  for_planes(first, last,
             [this](const Plane& plane, const std::uint8_t* from, std::int64_t pitch, int begin, int end) {
               if (pinned_) return copy_rows(from, pitch, plane, begin, end);
               copy_rows(staging_.data() + plane.offset, plane.pitch, plane, begin, end);
             });
}

// Rows of a plane from pinned memory, where its first row lies at `from`.
void GpuSlot::copy_rows(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane,
                        std::int64_t first, std::int64_t last) {
  from += first * from_pitch;
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

void GpuSlot::start_moments(const DeviceFrame& frame, const PixelBox& region) {
  auto* word = reinterpret_cast<std::uint64_t*>(moments_.data());
  for (std::size_t k = 0; k < moment_words; ++k)
    std::atomic_ref(word[k]).store(not_yet, std::memory_order_release);
  weights_->on_gpu(
      [&](const auto& by) { moments_cuda(frame, region, by, moments_.data(), {}, workspace_, stream_); });
}

bool GpuSlot::is_done() const {
  auto* word = const_cast<std::uint64_t*>(reinterpret_cast<const std::uint64_t*>(moments_.data()));
  for (std::size_t k = 0; k < moment_words; ++k) {
    if (std::atomic_ref(word[k]).load(std::memory_order_acquire) == not_yet) return false;
  }
  return true;
}

// Polling the words sees the result some microseconds before the driver does. The driver is queried now and
// then: it knows of errors.
Moments GpuSlot::wait() {
  constexpr int polls_per_query = 4096;
  for (int polls = 1; !is_done(); ++polls) {
    cpu_pause();
    if (polls % polls_per_query != 0) continue;
    const cudaError_t code = cudaStreamQuery(to_cuda(stream_));
    if (code == cudaErrorNotReady) {
      cudaGetLastError();  // no error, but kept as one
      continue;
    }
    TRIPTYCH_CUDA_CHECK(code);
    break;  // all is done, and visible
  }
  return *moments_.data();
}

}  // namespace triptych::skin_tracker
