// The colours of marked frames in the cells of a grid: pixel counts inside and outside the ellipses.
#pragma once

#include <triptych/core/parallel.hpp>
#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/skin_tracker/calibrate.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frame/pixel_math.hpp"

namespace triptych::skin_tracker {

// A colour and its pixel counts inside and outside the ellipses.
struct SharedColour {
  double r, g, b;
  double face, background;
};

class ColourGrid {
 public:
  // Adds a frame. Its counts are divided by the number of face pixels, so that frames of all sizes have the
  // same weight. A frame without a pixel inside its ellipse adds nothing. The result does not depend on the
  // threads.
  void add(const MarkedFrame& marked, int threads) {
    const int height = marked.frame.height();
    const int parts = std::clamp(threads > 0 ? threads : default_threads(), 1, max_parts);
    const int rows = std::max(64, (height + parts - 1) / parts);
    std::vector<Tally> tallies(static_cast<std::size_t>(reduction::chunk_count(height, rows)));
    reduction::fold_chunks(
        std::span(tallies), height, rows, threads,
        [&](Tally& tally, std::int64_t first, std::int64_t last) {
          tally_rows(marked, static_cast<int>(first), static_cast<int>(last), tally);
        },
        [&](const Tally& tally) {
          if (&tally != tallies.data()) merge(tally, tallies[0]);
        });
    if (tallies.empty()) return;
    const std::int64_t face = tallies[0].face_pixels, background = tallies[0].background_pixels;
    if (face == 0) return;
    accumulate(tallies[0], 1 / static_cast<double>(face));
    face_pixels_ += face;
    background_pixels_ += background;
    face_share_ += static_cast<double>(face) / static_cast<double>(face + background);
    ++frames_;
  }

  std::int64_t face_pixels() const { return face_pixels_; }
  std::int64_t background_pixels() const { return background_pixels_; }
  // The share of a frame inside its ellipse, averaged over the frames.
  double face_share() const { return frames_ == 0 ? 0 : face_share_ / frames_; }

  // The mean colours of the occupied cells; coarse: of cells of twice the side.
  std::vector<SharedColour> colours(bool coarse) const {
    std::vector<SharedColour> cells;
    if (coarse) {
      cells.resize(cell_count / 8);
      for (std::size_t i = 0; i < cell_count; ++i) {
        constexpr std::size_t half = (std::size_t{1} << (grid_bits - 1)) - 1;
        const std::size_t r = i >> (2 * grid_bits + 1), g = i >> (grid_bits + 1) & half, b = i >> 1 & half;
        add_to(cells[(r << (grid_bits - 1) | g) << (grid_bits - 1) | b], sums_[i]);
      }
    } else {
      cells = sums_;
    }
    std::vector<SharedColour> means;
    for (const SharedColour& sum : cells) {
      const double count = sum.face + sum.background;
      if (count == 0) continue;
      means.push_back({sum.r / count, sum.g / count, sum.b / count, sum.face, sum.background});
    }
    return means;
  }

 private:
  static constexpr int grid_bits = 5;
  static constexpr int cell_bits = 8 - grid_bits;  // of each channel, inside a cell
  static constexpr std::size_t cell_count = std::size_t{1} << (3 * grid_bits);
  static constexpr int max_parts = 8;  // of a frame; each has its own grid

  // The pixels of one cell: their count, and the sums of their channels relative to the cell's corner. A word
  // holds two 32-bit sums, which are added together and do not overflow for the largest frame.
  struct Cell {
    std::uint64_t count_r, g_b;
    std::uint32_t count() const { return static_cast<std::uint32_t>(count_r); }
    std::uint32_t r() const { return static_cast<std::uint32_t>(count_r >> 32); }
    std::uint32_t g() const { return static_cast<std::uint32_t>(g_b); }
    std::uint32_t b() const { return static_cast<std::uint32_t>(g_b >> 32); }
  };

  struct Tally {
    std::vector<Cell> face = std::vector<Cell>(cell_count);
    std::vector<Cell> background = std::vector<Cell>(cell_count);
    std::int64_t face_pixels = 0, background_pixels = 0;
  };

  struct Interval {
    int begin, end;
  };

  // The pixels of row y whose centres lie inside the ellipse; the centre of the first pixel is at 0.5.
  static Interval inside(const Box& ellipse, int y, int width) {
    const double a = ellipse.width / 2, b = ellipse.height / 2;
    const double v = (y + 0.5 - (ellipse.y + b)) / b;
    if (!(a > 0 && b > 0 && v * v <= 1)) return {0, 0};
    const double half = a * std::sqrt(1 - v * v), middle = ellipse.x + a - 0.5;
    if (!std::isfinite(middle) || !std::isfinite(half)) return {0, 0};
    const double begin = std::clamp(std::ceil(middle - half), 0.0, static_cast<double>(width));
    const double end = std::clamp(std::floor(middle + half) + 1, begin, static_cast<double>(width));
    return {static_cast<int>(begin), static_cast<int>(end)};
  }

  template <FrameFormat format>
  static void tally_pixels(const std::uint8_t* row, const std::uint8_t* chroma, int begin, int end,
                           Cell* cells) {
    constexpr std::uint64_t low = (1u << cell_bits) - 1;
    for (int x = begin; x < end; ++x) {
      const Rgb8 c = colour_of<format>(read_pixel<format>(row, chroma, x));
      const std::uint64_t r = c.r, g = c.g, b = c.b;
      Cell& cell =
          cells[(r >> cell_bits) << (2 * grid_bits) | (g >> cell_bits) << grid_bits | b >> cell_bits];
      cell.count_r += 1 | (r & low) << 32;
      cell.g_b += (g & low) | (b & low) << 32;
    }
  }

  template <FrameFormat format>
  static void tally_rows_of(const MarkedFrame& marked, int first, int last, Tally& tally) {
    const Frame& frame = marked.frame;
    const int width = frame.width();
    for (int y = first; y < last; ++y) {
      const std::uint8_t* row = frame.data() + y * frame.pitch_bytes();
      const std::uint8_t* chroma = nullptr;
      if constexpr (format == FrameFormat::nv12) chroma = frame.chroma() + y / 2 * frame.chroma_pitch_bytes();
      const Interval face = inside(marked.face, y, width);
      tally_pixels<format>(row, chroma, 0, face.begin, tally.background.data());
      tally_pixels<format>(row, chroma, face.begin, face.end, tally.face.data());
      tally_pixels<format>(row, chroma, face.end, width, tally.background.data());
      tally.face_pixels += face.end - face.begin;
      tally.background_pixels += width - (face.end - face.begin);
    }
  }

  static void tally_rows(const MarkedFrame& marked, int first, int last, Tally& tally) {
    by_format(marked.frame.format(),
              [&](auto format) { tally_rows_of<format()>(marked, first, last, tally); });
  }

  static void merge(const Tally& from, Tally& into) {
    const auto add = [](const std::vector<Cell>& a, std::vector<Cell>& b) {
      for (std::size_t i = 0; i < cell_count; ++i) {
        b[i].count_r += a[i].count_r;
        b[i].g_b += a[i].g_b;
      }
    };
    add(from.face, into.face);
    add(from.background, into.background);
    into.face_pixels += from.face_pixels;
    into.background_pixels += from.background_pixels;
  }

  static void add_to(SharedColour& sum, const SharedColour& c) {
    sum.r += c.r;
    sum.g += c.g;
    sum.b += c.b;
    sum.face += c.face;
    sum.background += c.background;
  }

  void accumulate(const Tally& tally, double scale) {
    for (std::size_t i = 0; i < cell_count; ++i) {
      const Cell &f = tally.face[i], &o = tally.background[i];
      const double count = static_cast<double>(f.count()) + o.count();
      if (count == 0) continue;
      const auto sum = [&](int shift, std::uint32_t above, std::uint32_t more) {
        const auto corner = (i >> shift & ((std::size_t{1} << grid_bits) - 1)) << cell_bits;
        return (static_cast<double>(corner) * count + above + more) * scale;
      };
      add_to(sums_[i], {sum(2 * grid_bits, f.r(), o.r()), sum(grid_bits, f.g(), o.g()), sum(0, f.b(), o.b()),
                        f.count() * scale, o.count() * scale});
    }
  }

  std::vector<SharedColour> sums_ = std::vector<SharedColour>(cell_count);
  std::int64_t face_pixels_ = 0, background_pixels_ = 0;
  double face_share_ = 0;
  int frames_ = 0;
};

}  // namespace triptych::skin_tracker
