// The moments of a chunk by one instruction set, included once for each (simd/for_each_set.hpp).

using Triples = simd::ByteTriples<Set>;
using Dot = simd::TripleDot<Set>;
using Ints = simd::Pack<std::int32_t, Set>;
constexpr int lanes = Triples::lanes;

// `lanes` pixels, the bytes in the order of memory (Y, U, V for yuv).
template <FrameFormat format>
TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE Triples load(const std::uint8_t* row,
                                                       [[maybe_unused]] const std::uint8_t* chroma) {
  if constexpr (format == FrameFormat::nv12) {
    return Triples::load_420(row, chroma);
  } else if constexpr (format == FrameFormat::yuyv) {
    return Triples::load_422(row);
  } else if constexpr (bytes_per_pixel(format) == 3) {
    return Triples::load_3(row);
  } else {
    return Triples::load_4(row);
  }
}

// A FixedFilter in registers, its coefficients cut as the set's dot product takes them.
struct PixelWeigher {
  struct Filter {
    typename Dot::Factors factors;
    std::int32_t most, shift;
  };
  Dot dot;
  Ints zero, most, shift;

  TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE explicit PixelWeigher(const Filter& f)
      : dot(f.factors), zero(Ints::all(0)), most(Ints::all(f.most)), shift(Ints::all(f.shift)) {}

  TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE typename Dot::Sums operator()(const Triples& pixels) const {
    typename Dot::Sums sums = dot(pixels);
    for (Ints& sum : sums.pack) sum = min(max(sum, zero), most) >> shift;
    return sums;
  }
};

// Of one row.
struct RunningSums {
  Ints a[Dot::packs], b[Dot::packs], c[Dot::packs];

  TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE RunningSums() {
    for (int q = 0; q < Dot::packs; ++q) a[q] = b[q] = c[q] = Ints::all(0);
  }
  TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE void add(const typename Dot::Sums& w) {
    for (int q = 0; q < Dot::packs; ++q) {
      a[q] = a[q] + w.pack[q];
      b[q] = b[q] + a[q];
      c[q] = c[q] + b[q];
    }
  }
};

// Adds the last pixels of a row, fewer than `lanes`, and the row to the block.
template <FrameFormat format>
TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE void end_row(const std::uint8_t* row, const std::uint8_t* chroma,
                                                       int rest, const PixelWeigher& weigher,
                                                       RunningSums& running, BlockSums<lanes>& block) {
  if (rest > 0) {
    const Tail<format, lanes> tail(row, chroma, rest);
    typename Dot::Sums w = weigher(load<format>(tail.row, tail.chroma));
    for (int q = 0; q < Dot::packs; ++q) w.pack[q] = first_lanes(w.pack[q], rest - q * Ints::lanes);
    running.add(w);
  }
  alignas(64) std::int32_t a[lanes], b[lanes], c[lanes];
  for (int q = 0; q < Dot::packs; ++q) {
    running.a[q].store(a + q * Ints::lanes);
    running.b[q].store(b + q * Ints::lanes);
    running.c[q].store(c + q * Ints::lanes);
  }
  block.add_row(a, b, c);
}

// Adds `pixels` pixels of each row, at most lanes * block_steps. The rows r are constants, so that their sums
// stay in registers.
template <FrameFormat format, int... r>
TRIPTYCH_SIMD_TARGET void add_block(RowsAtOnce<sizeof...(r)> at, int pixels,
                                    const PixelWeigher::Filter& filter, BlockSums<lanes>& block,
                                    std::integer_sequence<int, r...>) {
  const PixelWeigher weigher(filter);
  RunningSums running[sizeof...(r)];
  for (int step = pixels / lanes; step > 0; --step)
    ((running[r].add(weigher(load<format>(at.row[r], at.chroma[r]))), at.template advance<format, lanes>(r)),
     ...);
  (end_row<format>(at.row[r], at.chroma[r], pixels % lanes, weigher, running[r], block), ...);
}

template <FrameFormat format>
Moments chunk_moments(const Frame& frame, const PixelBox& chunk, const FixedFilter& fixed, NextChunk next) {
  if constexpr (std::is_same_v<Set, simd::Plain>) {
    return chunk_moments_plain<format>(frame, chunk, fixed, next);
  } else {
    constexpr int block_pixels = lanes * block_steps;
    if (is_yuv(format) && chunk.x % 2 != 0) {  // a step starts with the first pixel of a pair
      return chunk_moments_plain<format>(frame, {chunk.x, chunk.y, 1, chunk.height}, fixed, {}) +
             chunk_moments<format>(frame, {chunk.x + 1, chunk.y, chunk.width - 1, chunk.height}, fixed, next);
    }
    const FixedFilter f = in_memory_order<format>(fixed);
    const PixelWeigher::Filter filter{{f.c0, f.c1, f.c2, f.offset}, fixed_one << f.shift, f.shift};
    std::array<BlockSums<lanes>, max_width / block_pixels> blocks;
    const int block_count = (chunk.width + block_pixels - 1) / block_pixels;
    std::fill_n(blocks.begin(), block_count, BlockSums<lanes>{});
    const auto add = [&](auto at) {
      BlockSums<lanes>* block = blocks.data();
      for (int left = chunk.width; left > 0; left -= block_pixels, ++block) {
        add_block<format>(at, std::min(left, block_pixels), filter, *block, at.indices);
        for (auto& row : at.row) row += block_pixels * bytes_per_pixel(format);
        if constexpr (has_chroma_plane(format)) {
          for (auto& chroma : at.chroma) chroma += block_pixels;
        }
      }
    };
    ChunkRows rows(frame, chunk, bytes_per_pixel(format), next);
    const int bottom = chunk.y + chunk.height;
    int y = chunk.y;
    for (; y + rows_at_once <= bottom; y += rows_at_once) add(rows.at<rows_at_once>(y));
    for (; y < bottom; ++y) add(rows.at<1>(y));
    Moments moments;
    const BlockSums<lanes>* block = blocks.data();
    for (int x = 0; x < chunk.width; x += block_pixels, ++block) {
      const int pixels = std::min(chunk.width - x, block_pixels);
      const int end = chunk.x + x + (pixels + lanes - 1) / lanes * lanes;
      moments += block->moments(end - frame.width() / 2, bottom - frame.height() / 2);
    }
    return moments;
  }
}
