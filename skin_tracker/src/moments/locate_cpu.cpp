#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <algorithm>
#include <array>
#include <span>

#include "frame/locate_math.hpp"
#include "moments/locate_paths.hpp"
#include "moments/row_moments.hpp"
#include "moments/strips.hpp"

namespace triptych::skin_tracker {

namespace {

// sum_strip(strip, next) of strips of the region's rows, added up.
template <class Sum>
Sums sum_region(const Region& region, int threads, Sum sum_strip) {
  if (region.width == 0 || region.height == 0) return {};
  // A thread is woken for no less than takes longer than waking it.
  constexpr std::int64_t min_pixels_per_thread = 1 << 15;
  constexpr std::int64_t max_workers = 256;
  const std::int64_t pixels = std::int64_t{region.width} * region.height;
  const std::int64_t wanted = std::min<std::int64_t>(max_workers, threads > 0 ? threads : default_threads());
  const auto workers = static_cast<int>(std::clamp<std::int64_t>(pixels / min_pixels_per_thread, 1, wanted));
  if (workers == 1) return sum_strip(region, {});
  Deal deal(region, workers);
  std::array<PartSums, max_workers> parts;
  Sums sums;
  reduction::fold_chunks(
      std::span<PartSums>(parts), workers, 1, workers,
      [&](PartSums& part, std::int64_t worker, std::int64_t) {
        part.sums = deal.work(static_cast<int>(worker), sum_strip);
      },
      [&](const PartSums& part) { sums += part.sums; });
  return sums;
}

rows::SumStrip strip_function(CpuPath path, const Frame& frame, const Region& region) {
  check_region(region, frame.width(), frame.height());
  path = pick_cpu_path(path, available_cpu_paths());
  return rows::sum_strip_by(path, frame.format());
}

}  // namespace

std::span<const CpuPath> available_cpu_paths() { return simd::available_byte_triple_paths(); }

Sums sum_cpu_by(CpuPath path, const Frame& frame, const Region& region, const FixedFilter& filter,
                int threads) {
  const rows::SumStrip sum_strip = strip_function(path, frame, region);
  return sum_region(region, threads, [&](const Region& strip, NextStrip next) {
    return sum_strip(frame, strip, filter, next);
  });
}

Sums sum_strip_cpu(const Frame& frame, const Region& strip, const FixedFilter& filter, NextStrip next) {
  return strip_function(CpuPath::simd, frame, strip)(frame, strip, filter, next);
}

Sums sum_strip_cpu(const Frame& frame, const Region& strip, const WeightTable<std::uint16_t>& table,
                   NextStrip) {
  check_region(strip, frame.width(), frame.height());
  const std::uint16_t* weights = table.weights().data();
  return by_format(frame.format(), [&](auto format) {
    return rows::sum_strip_of<format()>(frame, strip, [&](const PixelBytes& p) {
      return std::uint64_t{weights[WeightTable<std::uint16_t>::index(colour_of<format()>(p))]};
    });
  });
}

Sums sum_cpu(const Frame& frame, const Region& region, const LinearFilter& filter, int threads) {
  return sum_cpu_by(CpuPath::simd, frame, region, fix(filter, channels_of(frame.format())), threads);
}

Sums sum_cpu(const Frame& frame, const Region& region, const WeightTable<std::uint16_t>& table, int threads) {
  check_region(region, frame.width(), frame.height());
  return sum_region(region, threads,
                    [&](const Region& strip, NextStrip) { return sum_strip_cpu(frame, strip, table); });
}

}  // namespace triptych::skin_tracker
