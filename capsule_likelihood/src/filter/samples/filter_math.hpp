// The filter's scalar maths, on host and device: what happens to one sample in a layer. Every multiply-add is
// fused by name, nothing else may be: same bits everywhere.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/core/philox.hpp>

#include <cmath>
#include <cstdint>

#include "filter/samples/filter_layout.hpp"
#include "filter/samples/limb_compensation_math.hpp"
#include "geometry/half_rotation.hpp"
#include "resample/resample_math.hpp"

namespace triptych::capsule_likelihood {

// Philox's counter: the row, the block of dimensions and the layer, the frame. Blocks from special_block on
// are for other uses than noise.
inline constexpr std::uint32_t special_block = 0xFF00;
TRIPTYCH_INLINE_HD Philox4x32 random_block(const FilterFrame& frame, std::int32_t layer, std::uint32_t row,
                                           std::uint32_t block) {
  return philox4x32(
      {{row, block | static_cast<std::uint32_t>(layer) << 16, static_cast<std::uint32_t>(frame.frame),
        static_cast<std::uint32_t>(frame.frame >> 32)}},
      static_cast<std::uint32_t>(frame.seed), static_cast<std::uint32_t>(frame.seed >> 32));
}

// Noise for a block of a row's dimensions.
struct Normals {
  float of[dims_per_block];
};
TRIPTYCH_INLINE_HD Normals normals(const FilterFrame& frame, std::int32_t layer, std::int32_t row,
                                   int block) {
  static_assert(dims_per_block == 4);
  const Philox4x32 random =
      random_block(frame, layer, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(block));
  const NormalPair first = normal_pair(random[0], random[1]), second = normal_pair(random[2], random[3]);
  return {{first.first, first.second, second.first, second.second}};
}

// The row of the layer before, in one of its groups, that row `row` of the new population descends from.
TRIPTYCH_INLINE_HD std::int32_t ancestor_of(const FilterView& view, const FilterLayer& old,
                                            std::int32_t old_layer, std::int32_t group, std::int32_t row) {
  const std::int32_t begin = group_begin(group, view.samples, old.groups);
  const std::int32_t n = group_begin(group + 1, view.samples, old.groups) - begin;
  const std::uint64_t* const sums = view.cumulative + begin;
  const auto count = static_cast<std::uint64_t>(view.samples);
  const Philox4x32 random =
      random_block(*view.frame, old_layer, static_cast<std::uint32_t>(group), special_block);
  const Comb comb = make_comb(sums[n - 1], random[0], count);
  const std::uint64_t k =
      (static_cast<std::uint64_t>(row) * old.stride[group] + (random[1] & 0xFFFFFu)) % count;
  return begin + first_above(sums, n, comb.tooth(k));
}

// Whether the best sample of a group is better than its first one, the centre, by more than chance: by so
// many nats after tempering. A limb that the points do not show would otherwise follow the best of its random
// samples.
inline constexpr double min_gain_nats = 3;
TRIPTYCH_INLINE_HD bool is_clearly_better(const Tempering& tempering, double of_centre) {
  return tempering.beta * (tempering.highest - of_centre) > min_gain_nats;
}

// Back within the limits: mirrored at the exceeded one; clamped there when the mirrored value is out of
// range, too.
TRIPTYCH_INLINE_HD float limited(float x, const FilterDimension& dimension) {
  if (x > dimension.upper) {
    x = dimension.upper - (x - dimension.upper);
    return x < dimension.lower ? dimension.upper : x;
  }
  if (x < dimension.lower) {
    x = dimension.lower + (dimension.lower - x);
    return x > dimension.upper ? dimension.lower : x;
  }
  return x;
}

TRIPTYCH_INLINE_HD void write_pose(const FilterView& view, std::int32_t row, int d, float x) {
  float* const pose = view.poses + std::int64_t{row} * (view.dims + 1);
  if (d >= root_dims) {
    pose[d + 1] = x;
  } else if (d >= 3) {
    pose[d - 3] = x;
  }
}
TRIPTYCH_INLINE_HD void write_orientation(const FilterView& view, std::int32_t row, const float* rotation) {
  rotated(view.frame->reference, {0.5f * rotation[0], 0.5f * rotation[1], 0.5f * rotation[2]},
          view.poses + std::int64_t{row} * (view.dims + 1) + 3);
}

// Dimensions 4 block .. 4 block + 3 of a row of the population: from the layer before (ancestors: a row for
// each of its groups), or, when there is none (old null), from the last frame, moved by the prediction.
TRIPTYCH_INLINE_HD void population_block(const FilterView& view, const FilterLayer* old,
                                         const std::int32_t* ancestors, std::int32_t row, int block,
                                         float* values) {
  const int begin = block * dims_per_block;
  TRIPTYCH_UNROLL
  for (int i = 0; i < dims_per_block; ++i) {
    const int d = begin + i;
    if (d >= view.dims) break;
    const std::int32_t group = old == nullptr ? -1 : searching_group(*old, view.dimensions[d].unit);
    values[i] = group < 0 ? view.population[std::int64_t{row} * view.dims + d]
                          : view.old_proposals[std::int64_t{ancestors[group]} * view.dims + d];
    if (old == nullptr && d >= 3) values[i] += view.velocity[d];
  }
  if (old != nullptr || block != 0) return;
  const HalfRotation half = compose({view.frame->back[0], view.frame->back[1], view.frame->back[2]},
                                    {0.5f * values[0], 0.5f * values[1], 0.5f * values[2]});
  values[0] = 2.0f * half.x;
  values[1] = 2.0f * half.y;
  values[2] = 2.0f * half.z;
}

// One block of dimensions of a proposal. ancestors: as population_block has them.
TRIPTYCH_INLINE_HD void propose_block(const FilterView& view, const FilterLayer& layer, std::int32_t index,
                                      const FilterLayer* old, const std::int32_t* ancestors, std::int32_t row,
                                      int block) {
  const std::int32_t group = group_of(row, view.samples, layer.groups);
  // The first sample of a group is the centre itself, the second may be the best sample so far.
  const std::int32_t rank = row - group_begin(group, view.samples, layer.groups);
  float own[dims_per_block] = {};
  population_block(view, old, ancestors, row, block, own);
  const Normals normal = normals(*view.frame, index, row, block);
  float rotation[3] = {};
  TRIPTYCH_UNROLL
  for (int i = 0; i < dims_per_block; ++i) {
    const int d = block * dims_per_block + i;
    if (d >= view.dims) break;
    const FilterDimension dimension = view.dimensions[d];
    const std::int64_t at = std::int64_t{row} * view.dims + d;
    view.population[at] = own[i];
    const float centre = view.centre[d];
    float x = centre;
    if (rank > 0 && searching_group(layer, dimension.unit) == group && dimension.lower < dimension.upper) {
      float spread = layer.noise * view.frame->widen * view.spread[d];
      if ((rank & 7) == 7) spread *= layer.tail;
      const bool from_elite = layer.elite && (rank == 1 || (rank & 3) == 2);
      x = from_elite ? view.elite[d] : fmaf(layer.keep, own[i] - centre, centre);
      if (rank != 1 || !layer.elite) x = limited(fmaf(spread, normal.of[i], x), dimension);
    }
    view.proposals[at] = x;
    write_pose(view, row, d, x);
    if (block == 0 && i < 3) rotation[i] = x;
  }
  if (block == 0) write_orientation(view, row, rotation);
}

// Limb compensation of one dimension in a layer that moves the trunk: the joints of the limb stay where they
// are, fully in some rows, in part or not at all in others. Call it after propose_block for the whole row.
TRIPTYCH_INLINE_HD void compensate_dim(const FilterView& view, std::int32_t row, int d) {
  const FilterDimension dimension = view.dimensions[d];
  if (dimension.unit == 0 || !(dimension.lower < dimension.upper)) return;
  const std::int64_t begin = std::int64_t{row} * view.dims;
  float moved = 0;
  for (std::int32_t t = 0; t < view.trunk_dims; ++t) {
    const std::int32_t trunk = view.trunk[t];
    moved = fmaf(view.compensation[std::int64_t{d} * view.trunk_dims + t],
                 view.proposals[begin + trunk] - view.centre[trunk], moved);
  }
  const float share = static_cast<float>((row >> 3) & 3) * (1.0f / 3.0f);
  const float x = limited(fmaf(share, moved, view.proposals[begin + d]), dimension);
  view.proposals[begin + d] = x;
  write_pose(view, row, d, x);
}

// Dimension d of the pose of the centre (row 0), or with dimension row - 1 moved by compensation_step, for
// finite differences. They are written to view.poses; d = 0 writes the orientation.
TRIPTYCH_INLINE_HD void moved_dim(const FilterView& view, std::int32_t row, int d) {
  write_pose(view, row, d, view.centre[d] + (d == row - 1 ? compensation_step : 0.0f));
  if (d != 0) return;
  float rotation[3];
  for (int i = 0; i < 3; ++i) rotation[i] = view.centre[i] + (i == row - 1 ? compensation_step : 0.0f);
  write_orientation(view, row, rotation);
}

// A row of the population about the centre, for a start. Its random numbers are those of layer 0 of frame 0,
// which no frame uses: frames count from 1.
TRIPTYCH_INLINE_HD void start_block(const FilterView& view, float noise, std::int32_t row, int block) {
  const Normals normal = normals(*view.frame, 0, row, block);
  float rotation[3] = {};
  TRIPTYCH_UNROLL
  for (int i = 0; i < dims_per_block; ++i) {
    const int d = block * dims_per_block + i;
    if (d >= view.dims) break;
    const FilterDimension dimension = view.dimensions[d];
    float x = view.centre[d];
    if (dimension.lower < dimension.upper)
      x = limited(fmaf(noise * dimension.spread, normal.of[i], x), dimension);
    view.population[std::int64_t{row} * view.dims + d] = x;
    write_pose(view, row, d, x);
    if (block == 0 && i < 3) rotation[i] = x;
  }
  if (block == 0) write_orientation(view, row, rotation);
}

// The end of a frame: the survivors of the last layer become the population, and their poses. Row
// `samples` of the poses is the centre.
TRIPTYCH_INLINE_HD void settle_block(const FilterView& view, const FilterLayer& old,
                                     const std::int32_t* ancestors, std::int32_t row, int block) {
  float own[dims_per_block] = {};
  const bool is_centre = row == view.samples;
  if (!is_centre) population_block(view, &old, ancestors, row, block, own);
  TRIPTYCH_UNROLL
  for (int i = 0; i < dims_per_block; ++i) {
    const int d = block * dims_per_block + i;
    if (d >= view.dims) break;
    if (is_centre) {
      own[i] = view.centre[d];
    } else {
      view.population[std::int64_t{row} * view.dims + d] = own[i];
    }
    write_pose(view, row, d, own[i]);
  }
  if (block == 0) write_orientation(view, row, own);
}

}  // namespace triptych::capsule_likelihood
