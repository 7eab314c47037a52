#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/reduction/collective/chunks.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "fit/cpu/one_pass.hpp"

namespace triptych::aam_fit {

namespace {

int padded(int count) { return (count + pass_pack - 1) / pass_pack * pass_pack; }

// Work below this is not worth waking a thread.
constexpr std::int64_t min_bytes_per_thread = 1 << 18;

}  // namespace

PassPlanes pass_planes(PlanesView planes, int channels) {
  const std::int64_t pitch = planes.stacked.pitch_bytes() / static_cast<std::int64_t>(sizeof(float));
  require(planes.channels == channels, "a level with ", channels,
          " channels cannot be fitted to planes with ", planes.channels);
  require(planes.width() >= 2 && planes.height() >= 2, "planes of ", planes.width(), " x ", planes.height(),
          " pixels are too small to be sampled");
  require(planes.height() * pitch <= std::numeric_limits<std::int32_t>::max(), "planes of ", planes.width(),
          " x ", planes.height(), " pixels are too large to be sampled");
  return {planes.stacked.data(), static_cast<std::int32_t>(planes.width()),
          static_cast<std::int32_t>(planes.height()), static_cast<std::int32_t>(pitch)};
}

OnePass::OnePass(const Level& level, const StackedLevel& stacked, int threads, CpuPath path)
    : kernels_(pass_kernels(path)), threads_(threads > 0 ? threads : default_threads()) {
  PassTables& t = tables_;
  t.pixels = level.pixels();
  t.channels = static_cast<int>(level.samples() / t.pixels);
  t.sample_offset = level.sample_offset;
  t.modes = level.modes;
  t.points = level.points;
  t.padded_points = padded(level.points);
  const auto points = static_cast<std::size_t>(t.padded_points), modes = static_cast<std::size_t>(t.modes);
  t.s0x = AlignedArray<float>(points);
  t.s0y = AlignedArray<float>(points);
  t.Qx = AlignedArray<float>(points * modes);
  t.Qy = AlignedArray<float>(points * modes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.points); ++i) {
    const auto at = static_cast<std::int64_t>(2 * i);
    t.s0x[i] = level.s0[at];
    t.s0y[i] = level.s0[at + 1];
    for (std::size_t k = 0; k < modes; ++k) {
      t.Qx[k * points + i] = level.Qs[at * t.modes + static_cast<std::int64_t>(k)];
      t.Qy[k * points + i] = level.Qs[(at + 1) * t.modes + static_cast<std::int64_t>(k)];
    }
  }
  std::vector<std::int32_t> order;
  sort_pixels(level, order);
  lay_out(stacked, order);

  row_count_ = static_cast<std::size_t>(stacked.rows());
  make_room(1);
  const std::int64_t bytes = t.pixels * t.channels * t.stride * (t.halves.size() != 0 ? 2 : 4);
  threads_ = static_cast<int>(std::clamp<std::int64_t>(bytes / min_bytes_per_thread, 1, threads_));
}

void OnePass::make_room(std::size_t shapes) {
  if (shapes <= results_.size()) return;
  const std::int64_t tiles = static_cast<std::int64_t>(tables_.first_run.size()) - 1;
  const auto count = static_cast<std::size_t>(reduction::chunk_count(tiles, pass_tiles_per_chunk));
  const auto stride = static_cast<std::size_t>(tables_.stride);
  AlignedArray<double> chunk_rows(count * shapes * stride);
  std::vector<PassSums> sums(count * shapes);
  std::vector<std::span<PassSums>> chunks(count);
  std::vector<double> rows(row_count_ * shapes);
  std::vector<Result> results(shapes);
  // Nothing throws from here on.
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].rows = chunk_rows.data() + i * stride;
  for (std::size_t i = 0; i < count; ++i) chunks[i] = std::span(sums).subspan(i * shapes, shapes);
  for (std::size_t i = 0; i < shapes; ++i)
    results[i].rows = std::span(rows).subspan(i * row_count_, row_count_);
  chunk_rows_ = std::move(chunk_rows);
  sums_ = std::move(sums);
  chunks_ = std::move(chunks);
  rows_ = std::move(rows);
  results_ = std::move(results);
}

void OnePass::sort_pixels(const Level& level, std::vector<std::int32_t>& order) {
  PassTables& t = tables_;
  const auto pixels = static_cast<std::size_t>(t.pixels);
  order.resize(pixels);
  std::iota(order.begin(), order.end(), 0);
  const auto corners = [&](std::int32_t i) {
    const std::uint16_t* c = level.frame.pixels[i].corners;
    return std::tuple(c[0], c[1], c[2]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t i, std::int32_t j) { return corners(i) < corners(j); });
  t.a = AlignedArray<float>(pixels + pass_pack);
  t.b = AlignedArray<float>(pixels + pass_pack);
  for (std::size_t i = 0; i < pixels; ++i) {
    const WarpPixel& pixel = level.frame.pixels[order[i]];
    t.a[i] = pixel.a;
    t.b[i] = pixel.b;
    const bool new_tile = i % pass_tile == 0;
    if (new_tile) t.first_run.push_back(static_cast<std::int32_t>(t.runs.size()));
    if (new_tile || corners(order[i]) != corners(order[i - 1]))
      t.runs.push_back({{pixel.corners[0], pixel.corners[1], pixel.corners[2]}, 0});
    ++t.runs.back().count;
  }
  t.first_run.push_back(static_cast<std::int32_t>(t.runs.size()));
}

void OnePass::lay_out(const StackedLevel& stacked, const std::vector<std::int32_t>& order) {
  PassTables& t = tables_;
  const std::int64_t n = stacked.samples;
  for (int row = 0; row < stacked.rows(); ++row) {
    const float* values = stacked.matrix.data() + row * n;
    if (std::all_of(values, values + n, [](float v) { return v == 0; })) continue;
    row_of_.push_back(row);
    scale_.push_back(stacked.halves.empty() ? 1.0f : stacked.scale[static_cast<std::size_t>(row)]);
  }
  t.stride = padded(static_cast<int>(row_of_.size()));
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(t.stride);
  const auto fill = [&](auto* to, const auto* from) {
    parallel_chunks(t.pixels, pass_tile, threads_, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (int c = 0; c < t.channels; ++c)
        for (std::size_t r = 0; r < row_of_.size(); ++r) {
          const auto* row = from + row_of_[r] * n + c * t.pixels;
          auto* out =
              to + (begin * t.channels + c * (end - begin)) * t.stride + static_cast<std::ptrdiff_t>(r);
          for (std::int64_t i = begin; i < end; ++i)
            out[(i - begin) * t.stride] = row[order[static_cast<std::size_t>(i)]];
        }
    });
  };
  if (stacked.halves.empty()) {
    t.matrix = AlignedArray<float>(size);
    fill(t.matrix.data(), stacked.matrix.data());
  } else {
    t.halves = AlignedArray<std::uint16_t>(size);
    fill(t.halves.data(), stacked.halves.data());
  }
}

void OnePass::shape(const float* parameters, float* xs, float* ys) const {
  kernels_.shape(tables_, parameters, xs, ys);
}

std::span<const OnePass::Result> OnePass::run(const PassPlanes& planes,
                                              std::span<const float* const> shapes) {
  make_room(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    results_[i].S1 = results_[i].S2 = 0;
    results_[i].outside = 0;
  }
  const std::int64_t tiles = static_cast<std::int64_t>(tables_.first_run.size()) - 1;
  reduction::fold_chunks(
      std::span(chunks_), tiles, pass_tiles_per_chunk, threads_,
      [&](std::span<PassSums> sums, std::int64_t begin, std::int64_t end) {
        for (std::size_t i = 0; i < shapes.size(); ++i) {
          std::fill_n(sums[i].rows, tables_.stride, 0.0);
          std::fill_n(sums[i].S1, pass_pack, 0.0);
          std::fill_n(sums[i].S2, pass_pack, 0.0);
          sums[i].outside = 0;
        }
        for (std::size_t i = 0; i < shapes.size(); i += pass_shapes)
          kernels_.tiles(tables_, planes,
                         shapes.subspan(i, std::min<std::size_t>(pass_shapes, shapes.size() - i)), begin, end,
                         sums.data() + i);
      },
      [&](std::span<PassSums> sums) {
        for (std::size_t i = 0; i < shapes.size(); ++i) {
          double* first = chunks_.front()[i].rows;
          if (sums[i].rows != first)
            for (int r = 0; r < tables_.stride; ++r) first[r] += sums[i].rows[r];
          for (int lane = 0; lane < pass_pack; ++lane) {
            results_[i].S1 += sums[i].S1[lane];
            results_[i].S2 += sums[i].S2[lane];
          }
          results_[i].outside += sums[i].outside;
        }
      });
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t r = 0; r < row_of_.size(); ++r)
      rows_[i * row_count_ + static_cast<std::size_t>(row_of_[r])] =
          chunks_.front()[i].rows[r] * double{scale_[r]};
  return std::span(results_).first(shapes.size());
}

}  // namespace triptych::aam_fit
