// A region of a frame as the kernels see it: where its bytes are and how four pixels of a row are read.
// Compiles for the host too, where tests go through the same code.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>

#include <cstdint>
#include <limits>

#include "moments/cuda/pixel_layouts.cuh"

namespace triptych::skin_tracker {

template <class Layout>
struct FramePixels {
  const std::uint8_t* data = nullptr;
  const std::uint8_t* chroma = nullptr;
  std::int32_t pitch = 0, chroma_pitch = 0;
  std::int32_t width = 0, height = 0;                     // of the frame
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;  // of the region
  bool aligned_loads = false;  // four pixels that begin at a multiple of four may be read by one load
  bool aligned_words = false;  // and single words by 32-bit loads

  // In device code the frame's pointers are its; on the host (tests) any.
  template <Space space>
  FramePixels(const BasicFrame<space>& frame, const PixelBox& region)
      : data(frame.data()),
        chroma(frame.chroma()),
        pitch(checked_pitch(frame.pitch_bytes())),
        chroma_pitch(checked_pitch(frame.chroma_pitch_bytes())),
        width(frame.width()),
        height(frame.height()),
        left(region.x),
        top(region.y),
        right(region.x + region.width),
        bottom(region.y + region.height) {
    aligned_loads = width % 4 == 0 && is_aligned(Layout::alignment);
    aligned_words = is_aligned(4);
  }

  TRIPTYCH_HD bool is_empty() const { return right == left || bottom == top; }

  TRIPTYCH_HD const std::uint8_t* pixels_at(std::int32_t x, std::int32_t y) const {
    return row_of(data, y, pitch) + static_cast<std::uint32_t>(x * Layout::words);
  }

  // Four pixels from column x on, x a multiple of 4, when loads are aligned.
  template <Reading reading>
  TRIPTYCH_HD void load_row(std::int32_t x, std::int32_t y, std::uint32_t (&word)[Layout::words]) const {
    detail::load_words<reading>(pixels_at(x, y), word);
  }
  // Their U and V; 0 when they lie among the pixels.
  template <Reading reading>
  TRIPTYCH_HD std::uint32_t load_chroma(std::int32_t x, std::int32_t y) const {
    if constexpr (Layout::chroma) {
      std::uint32_t word[1];
      detail::load_words<reading>(row_of(chroma, y / 2, chroma_pitch) + static_cast<std::uint32_t>(x), word);
      return word[0];
    } else {
      return 0;
    }
  }

  // The same of any frame: bytes past the row repeat its last one.
  template <Reading reading>
  TRIPTYCH_HD void load_row_guarded(std::int32_t x, std::int32_t y,
                                    std::uint32_t (&word)[Layout::words]) const {
    load_guarded<reading>(row_of(data, y, pitch), x * Layout::words, width * Layout::words, word);
  }
  template <Reading reading>
  TRIPTYCH_HD std::uint32_t load_chroma_guarded(std::int32_t x, std::int32_t y) const {
    if constexpr (Layout::chroma) {
      std::uint32_t word[1];
      load_guarded<reading>(row_of(chroma, y / 2, chroma_pitch), x, width, word);
      return word[0];
    } else {
      return 0;
    }
  }

  // One multiplication of 32 bits by 32.
  TRIPTYCH_HD static const std::uint8_t* row_of(const std::uint8_t* plane, std::int32_t y,
                                                std::int32_t pitch_bytes) {
    return plane + std::uint64_t{static_cast<std::uint32_t>(y)} * static_cast<std::uint32_t>(pitch_bytes);
  }

 private:
  static std::int32_t checked_pitch(std::int64_t bytes) {
    require(bytes <= std::numeric_limits<std::int32_t>::max(), "a pitch of ", bytes,
            " bytes is more than the GPU's sums take, 2^31 - 1");
    return static_cast<std::int32_t>(bytes);
  }

  bool is_aligned(int bytes) const {
    const auto fits = [bytes](const std::uint8_t* plane, std::int32_t its_pitch) {
      return reinterpret_cast<std::uintptr_t>(plane) % static_cast<std::uintptr_t>(bytes) == 0 &&
             its_pitch % bytes == 0;
    };
    return fits(data, pitch) && fits(chroma, chroma_pitch);
  }

  template <Reading reading, int words>
  TRIPTYCH_HD void load_guarded(const std::uint8_t* row, std::int32_t offset, std::int32_t row_bytes,
                                std::uint32_t (&word)[words]) const {
    TRIPTYCH_UNROLL
    for (int k = 0; k < words; ++k) {
      const std::int32_t at = offset + 4 * k;
      if (aligned_words && at + 4 <= row_bytes) {
        std::uint32_t one[1];
        detail::load_words<reading>(row + at, one);
        word[k] = one[0];
      } else {
        word[k] = 0;
        for (int b = 0; b < 4; ++b) {
          const std::int32_t byte = at + b < row_bytes ? at + b : row_bytes - 1;
          word[k] |= std::uint32_t{row[byte]} << 8 * b;
        }
      }
    }
  }
};

}  // namespace triptych::skin_tracker
