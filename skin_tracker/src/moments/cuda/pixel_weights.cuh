// The weight of a pixel, by dot products of its bytes or by a table. Compiles for the host too.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/span.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>

#include "moments/cuda/pixel_layouts.cuh"

namespace triptych::skin_tracker {

namespace detail {

// sum + the four bytes of `bytes` times the four signed bytes of `factors`.
TRIPTYCH_INLINE_HD std::int32_t dot_4(std::uint32_t bytes, std::uint32_t factors, std::int32_t sum) {
#ifdef __CUDA_ARCH__
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(bytes), "r"(factors));
  return sum;
#else
  for (unsigned k = 0; k < 4; ++k)
    sum += static_cast<std::int32_t>(bytes >> 8 * k & 255) * static_cast<std::int8_t>(factors >> 8 * k);
  return sum;
#endif
}

// sum + the lower (or upper) two bytes of `bytes` times the two signed 16-bit halves of `factors`; wraps
// around.
template <bool upper>
TRIPTYCH_INLINE_HD std::int32_t dot_2(std::uint32_t bytes, std::uint32_t factors, std::int32_t sum) {
#ifdef __CUDA_ARCH__
  if constexpr (upper) {
    asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(factors), "r"(bytes));
  } else {
    asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(factors), "r"(bytes));
  }
  return sum;
#else
  for (unsigned k = 0; k < 2; ++k) {
    const auto byte = static_cast<std::int32_t>(bytes >> 8 * (k + (upper ? 2 : 0)) & 255);
    const auto product = byte * static_cast<std::int16_t>(factors >> 16 * k);
    sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(product));
  }
  return sum;
#endif
}

}  // namespace detail

// The weight of a pixel's word by the filter, its coefficients cut into what dot products of bytes take: a
// signed 16-bit lower part and a signed byte above it (fix() sees to it that this is enough).
struct DotWeights {
  std::uint32_t low_01 = 0, low_2 = 0, high = 0;
  std::int32_t offset = 0, most = 0, shift = 0;

  DotWeights() = default;
  // filter: fixed for the format's channels.
  DotWeights(const FixedFilter& filter, FrameFormat format)
      : offset(filter.offset), most(fixed_one << filter.shift), shift(filter.shift) {
    const bool swapped = is_blue_first(format);
    const std::int32_t first = swapped ? filter.c2 : filter.c0, third = swapped ? filter.c0 : filter.c2;
    const auto low = [](std::int32_t c) { return static_cast<std::uint16_t>(c); };
    const auto above = [](std::int32_t c) {
      const std::int32_t digit = (c - static_cast<std::int16_t>(c)) / 65536;
      require(digit >= -128 && digit <= 127, "a coefficient of ", c, " does not fit three signed bytes");
      return std::uint32_t{static_cast<std::uint8_t>(digit)};
    };
    low_01 = std::uint32_t{low(filter.c1)} << 16 | low(first);
    low_2 = low(third);
    high = above(third) << 16 | above(filter.c1) << 8 | above(first);
  }

  template <class Layout>
  TRIPTYCH_HD std::uint32_t of(std::uint32_t word) const {
    const auto upper = static_cast<std::uint32_t>(detail::dot_4(word, high, 0));
    auto w = static_cast<std::int32_t>((upper << 16) + static_cast<std::uint32_t>(offset));
    w = detail::dot_2<true>(word, low_2, detail::dot_2<false>(word, low_01, w));
#ifdef __CUDA_ARCH__
    return static_cast<std::uint32_t>(__vimin_s32_relu(w, most)) >> shift;
#else
    return static_cast<std::uint32_t>(w < 0 ? 0 : w > most ? most : w) >> shift;
#endif
  }
};

// The weight of a pixel's word by a table of all colours.
struct TableWeights {
  const std::uint16_t* table;
  std::uint32_t order;  // the bytes blue, green, red among those in memory

  TableWeights(DeviceSpan<const std::uint16_t> weights, FrameFormat format)
      : table(weights.data()), order(is_blue_first(format) ? 0x4210u : 0x4012u) {
    constexpr auto colours = static_cast<std::int64_t>(WeightTable<std::uint16_t>::colours);
    require(weights.size() == colours, "a table of weights has ", colours, " entries, not ", weights.size());
  }

  template <class Layout>
  TRIPTYCH_HD std::uint32_t of(std::uint32_t word) const {
    std::uint32_t colour;
    if constexpr (channels_of(Layout::format) == Channels::rgb) {
      colour = detail::choose_bytes(word, 0, order);
    } else {
      const Rgb8 c =
          rgb_of_yuv(static_cast<std::int32_t>(word & 255), static_cast<std::int32_t>(word >> 8 & 255),
                     static_cast<std::int32_t>(word >> 16 & 255));
      colour = std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
    }
#ifdef __CUDA_ARCH__
    return __ldg(table + colour);
#else
    return table[colour];
#endif
  }
};

}  // namespace triptych::skin_tracker
