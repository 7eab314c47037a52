// The filter's scalar maths, on host and device: what happens to one sample, and to the common state, in a
// layer. Every multiply-add is fused by name, nothing else may be: same bits everywhere.
//
// A sample is a row of dims floats: the root's turn (3), its place (3, metres), then the angles (radians).
// The turn is kept against the frame's reference orientation q: the orientation is q (1, t/2) / |(1, t/2)|, a
// rational map that is the rotation vector t but for terms of third order and knows no trigonometry. A row of
// poses is what kinematics takes: place, quaternion, angles.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/core/portable_math.hpp>

#include <cmath>
#include <cstdint>

#include "resample_math.hpp"
#include "yield_math.hpp"

namespace triptych::capsule_likelihood {

inline constexpr int most_units = 16;
inline constexpr int root_dims = 6;
inline constexpr int dims_per_block = 4;  // the normal numbers of one Philox block
inline constexpr int sum_lanes = 128;     // partial sums of a mean; their order is part of the result

// One dimension. unit: the part of the body that it belongs to (0: the trunk). Equal limits: fixed.
struct FilterDimension {
  float spread = 0;  // of the motion from frame to frame that is not foreseen
  float lower = 0, upper = 0;
  std::int32_t unit = 0;
};

// One layer: the samples are cut into groups, each of which moves some units and keeps the others at the
// centre, and is weighed and resampled by itself.
struct FilterLayer {
  std::int32_t groups = 1;
  std::int32_t group_of_unit[most_units] = {};  // -1: at rest in this layer
  std::uint32_t stride[most_units] = {};        // of a group: pairs its survivors with those of the others
  // Only unit 0 is searched; the others give way, so that they stay where they are in space (carry_dim).
  bool carries = false;
  bool elite = false;       // every fourth sample starts from the best of before, and one is it
  float noise = 1;          // times a dimension's spread
  float tail = 1;           // of the noise of every eighth sample, against the others
  float keep = 1;           // how much of a sample's way from the centre is kept
  double target_share = 0;  // of the samples that should stay effective; 0: no tempering
};

// What all samples share, beside the arrays of FilterView.
struct FilterFrame {
  std::uint64_t frame = 0;  // counts the random numbers
  std::uint64_t seed = 0;
  float reference[4] = {1, 0, 0, 0};  // the orientation that turns are against: w x y z
  float back[3] = {};                 // half turn that takes the old centre to no turn
  float widen = 1;                    // all spreads, against the usual: above 1 after an uncertain start
};

struct FilterView {
  std::int32_t samples = 0, dims = 0;
  const FilterDimension* dimensions = nullptr;
  FilterFrame* frame = nullptr;
  float* centre = nullptr;               // dims: the estimate so far
  float* elite = nullptr;                // dims: of the best sample of the last layer that searched the unit
  float* velocity = nullptr;             // dims: foreseen motion a frame
  float* last = nullptr;                 // dims: the estimate of the last frame
  float* surprise = nullptr;             // dims: the running mean square of the motion that was not foreseen
  float* spread = nullptr;               // dims: of the noise in this frame
  float* population = nullptr;           // samples x dims; a row is read and written by nobody but its own
  const float* old_proposals = nullptr;  // what the cumulative weights belong to
  float* proposals = nullptr;
  float* poses = nullptr;
  const std::uint64_t* cumulative = nullptr;  // of the weights in each group
  std::int32_t trunk_dims = 0;                // free dimensions of unit 0 ...
  const std::int32_t* trunk = nullptr;        // ... and which they are
  const float* yield = nullptr;               // dims x trunk_dims: how a limb gives way to the trunk
};

TRIPTYCH_INLINE_HD std::int32_t group_begin(std::int32_t group, std::int32_t samples, std::int32_t groups) {
  return static_cast<std::int32_t>((std::int64_t{group} * samples + groups - 1) / groups);
}
TRIPTYCH_INLINE_HD std::int32_t group_of(std::int32_t row, std::int32_t samples, std::int32_t groups) {
  return static_cast<std::int32_t>(std::int64_t{row} * groups / samples);
}

// The group of a layer that moves a unit by noise; -1 when none does.
TRIPTYCH_INLINE_HD std::int32_t searching_group(const FilterLayer& layer, std::int32_t unit) {
  return layer.carries && unit != 0 ? -1 : layer.group_of_unit[unit];
}

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

// The row that place `row` of the new population takes from a group of the layer before.
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

struct Half3 {
  float x, y, z;
};

// The half turn of rotation a times rotation b: (1, a) (1, b) as quaternions, scaled to a real part of 1.
// Turns near a whole half circle from the reference, where that part vanishes, stop short of it.
TRIPTYCH_INLINE_HD Half3 compose(Half3 a, Half3 b) {
  float w = fmaf(-a.x, b.x, fmaf(-a.y, b.y, fmaf(-a.z, b.z, 1.0f)));
  if (fabsf(w) < 1e-3f) w = w < 0 ? -1e-3f : 1e-3f;
  const float x = fmaf(a.y, b.z, fmaf(-a.z, b.y, a.x + b.x));
  const float y = fmaf(a.z, b.x, fmaf(-a.x, b.z, a.y + b.y));
  const float z = fmaf(a.x, b.y, fmaf(-a.y, b.x, a.z + b.z));
  return {x / w, y / w, z / w};
}

// q (1, half), made a unit.
TRIPTYCH_INLINE_HD void turned(const float* q, Half3 half, float* result) {
  const float w = fmaf(-q[1], half.x, fmaf(-q[2], half.y, fmaf(-q[3], half.z, q[0])));
  const float x = fmaf(q[0], half.x, fmaf(q[2], half.z, fmaf(-q[3], half.y, q[1])));
  const float y = fmaf(q[0], half.y, fmaf(q[3], half.x, fmaf(-q[1], half.z, q[2])));
  const float z = fmaf(q[0], half.z, fmaf(q[1], half.y, fmaf(-q[2], half.x, q[3])));
  const float length = portable_sqrt(fmaf(w, w, fmaf(x, x, fmaf(y, y, z * z))));
  result[0] = w / length;
  result[1] = x / length;
  result[2] = y / length;
  result[3] = z / length;
}

// Back within the limits: mirrored at the one that is passed; what that does not bring back is held there.
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
TRIPTYCH_INLINE_HD void write_orientation(const FilterView& view, std::int32_t row, const float* turn) {
  turned(view.frame->reference, {0.5f * turn[0], 0.5f * turn[1], 0.5f * turn[2]},
         view.poses + std::int64_t{row} * (view.dims + 1) + 3);
}

// Dimensions 4 block .. 4 block + 3 of a row of the population: from the layer before (ancestors: a row for
// each of its groups), or, when there is none (old null), from the last frame and moved by what is foreseen.
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
  const Half3 half = compose({view.frame->back[0], view.frame->back[1], view.frame->back[2]},
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
  // The first sample of a group is the centre itself, the second may be the best sample of before.
  const std::int32_t place = row - group_begin(group, view.samples, layer.groups);
  float own[dims_per_block] = {};
  population_block(view, old, ancestors, row, block, own);
  const Philox4x32 random =
      random_block(*view.frame, index, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(block));
  const NormalPair first = normal_pair(random[0], random[1]), second = normal_pair(random[2], random[3]);
  const float normal[dims_per_block] = {first.first, first.second, second.first, second.second};
  float turn[3] = {};
  TRIPTYCH_UNROLL
  for (int i = 0; i < dims_per_block; ++i) {
    const int d = block * dims_per_block + i;
    if (d >= view.dims) break;
    const FilterDimension dimension = view.dimensions[d];
    const std::int64_t at = std::int64_t{row} * view.dims + d;
    view.population[at] = own[i];
    const float centre = view.centre[d];
    float x = centre;
    if (place > 0 && searching_group(layer, dimension.unit) == group && dimension.lower < dimension.upper) {
      float spread = layer.noise * view.frame->widen * view.spread[d];
      if ((place & 7) == 7) spread *= layer.tail;
      const bool from_elite = layer.elite && (place == 1 || (place & 3) == 2);
      x = from_elite ? view.elite[d] : fmaf(layer.keep, own[i] - centre, centre);
      if (place != 1 || !layer.elite) x = limited(fmaf(spread, normal[i], x), dimension);
    }
    view.proposals[at] = x;
    write_pose(view, row, d, x);
    if (block == 0 && i < 3) turn[i] = x;
  }
  if (block == 0) write_orientation(view, row, turn);
}

// A dimension of a limb in a layer in which the trunk moves: the limb gives way, so that its joints stay
// where they are, fully in some rows, in part or not at all in others. After propose_block has done the whole
// row.
TRIPTYCH_INLINE_HD void carry_dim(const FilterView& view, std::int32_t row, int d) {
  const FilterDimension dimension = view.dimensions[d];
  if (dimension.unit == 0 || !(dimension.lower < dimension.upper)) return;
  const std::int64_t begin = std::int64_t{row} * view.dims;
  float moved = 0;
  for (std::int32_t t = 0; t < view.trunk_dims; ++t) {
    const std::int32_t trunk = view.trunk[t];
    moved = fmaf(view.yield[std::int64_t{d} * view.trunk_dims + t],
                 view.proposals[begin + trunk] - view.centre[trunk], moved);
  }
  const float share = static_cast<float>((row >> 3) & 3) * (1.0f / 3.0f);
  const float x = limited(fmaf(share, moved, view.proposals[begin + d]), dimension);
  view.proposals[begin + d] = x;
  write_pose(view, row, d, x);
}

// Dimension d of the pose of the centre (row 0), or with dimension row - 1 moved by a little: what slopes are
// measured by. view.poses is where they go; d = 0 writes the orientation.
TRIPTYCH_INLINE_HD void moved_dim(const FilterView& view, std::int32_t row, int d) {
  write_pose(view, row, d, view.centre[d] + (d == row - 1 ? yield_step : 0.0f));
  if (d != 0) return;
  float turn[3];
  for (int i = 0; i < 3; ++i) turn[i] = view.centre[i] + (i == row - 1 ? yield_step : 0.0f);
  write_orientation(view, row, turn);
}

// A row of the population about the centre: for a start. Its random numbers are those of layer 0 of frame 0,
// which no frame uses (they count from 1).
TRIPTYCH_INLINE_HD void start_block(const FilterView& view, float noise, std::int32_t row, int block) {
  const Philox4x32 random =
      random_block(*view.frame, 0, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(block));
  const NormalPair first = normal_pair(random[0], random[1]), second = normal_pair(random[2], random[3]);
  const float normal[dims_per_block] = {first.first, first.second, second.first, second.second};
  float turn[3] = {};
  TRIPTYCH_UNROLL
  for (int i = 0; i < dims_per_block; ++i) {
    const int d = block * dims_per_block + i;
    if (d >= view.dims) break;
    const FilterDimension dimension = view.dimensions[d];
    float x = view.centre[d];
    if (dimension.lower < dimension.upper)
      x = limited(fmaf(noise * dimension.spread, normal[i], x), dimension);
    view.population[std::int64_t{row} * view.dims + d] = x;
    write_pose(view, row, d, x);
    if (block == 0 && i < 3) turn[i] = x;
  }
  if (block == 0) write_orientation(view, row, turn);
}

// The last thing in a frame: the survivors of the last layer become the population, and their poses. Row
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

// The weighted sums of one dimension over the proposals of a group, about the old centre. For a turn they add
// up quaternions (all on the reference's side, so that their signs agree), whose sum points the mean's way.
struct MeanSums {
  double weight = 0, value = 0;

  TRIPTYCH_HD void add(const float* row, int d, float centre, std::uint32_t w) {
    auto scaled = static_cast<double>(w);
    if (d < 3) {
      const float length = portable_sqrt(
          fmaf(0.25f * row[0], row[0], fmaf(0.25f * row[1], row[1], fmaf(0.25f * row[2], row[2], 1.0f))));
      scaled = scaled / static_cast<double>(length);
    }
    weight += scaled;
    value = fma(scaled, static_cast<double>(row[d] - (d < 3 ? 0.0f : centre)), value);
  }
  TRIPTYCH_HD void add(const MeanSums& other) {
    weight += other.weight;
    value += other.value;
  }
  TRIPTYCH_HD float mean(int d, float centre) const {
    const auto mean = static_cast<float>(value / weight);
    return d < 3 ? mean : centre + mean;
  }
};

// The sums of a joint's places over the samples, about that of the estimate.
struct PlaceSums {
  double first[3] = {}, second[6] = {};

  TRIPTYCH_HD void add(const Vec3& place, const Vec3& about) {
    const double x = static_cast<double>(place.x - about.x), y = static_cast<double>(place.y - about.y),
                 z = static_cast<double>(place.z - about.z);
    first[0] += x;
    first[1] += y;
    first[2] += z;
    second[0] = fma(x, x, second[0]);
    second[1] = fma(x, y, second[1]);
    second[2] = fma(x, z, second[2]);
    second[3] = fma(y, y, second[3]);
    second[4] = fma(y, z, second[4]);
    second[5] = fma(z, z, second[5]);
  }
  TRIPTYCH_HD void add(const PlaceSums& other) {
    for (int i = 0; i < 3; ++i) first[i] += other.first[i];
    for (int i = 0; i < 6; ++i) second[i] += other.second[i];
  }
  // xx xy xz yy yz zz
  TRIPTYCH_HD void covariance(std::int32_t samples, float* result) const {
    const double n = samples;
    const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i)
      result[i] = static_cast<float>(fma(-first[row[i]] / n, first[column[i]] / n, second[i] / n));
  }
};

// What goes on between frames: how the velocity is learned and kept, and how the spreads follow surprises.
struct FilterMotion {
  float follow = 0;      // the share of the newly seen motion that the velocity takes over
  float damp = 0;        // what is left of the velocity by the next frame
  float recall = 0;      // the share of the last surprise in their mean square
  float gain = 0;        // of a spread, against the surprises' root mean square
  float least = 1;       // spread, against the dimension's
  float settle = 0.75f;  // what is left of a widening by the next frame
};

// The noise of a dimension in the next frame, after one in which it was off by a surprise.
TRIPTYCH_INLINE_HD void follow_surprise(const FilterView& view, int d, float surprise,
                                        const FilterMotion& motion) {
  const float square = fmaf(motion.recall, fmaf(surprise, surprise, -view.surprise[d]), view.surprise[d]);
  view.surprise[d] = square;
  const float most = view.dimensions[d].spread, least = motion.least * most;
  const float spread = motion.gain * portable_sqrt(square > 0 ? square : 0.0f);
  view.spread[d] = spread > most ? most : (spread < least ? least : spread);
}

// Between frames, one dimension each: the velocity follows the estimate, and the centre moves on by it. Turns
// (d 0 .. 2) are done together by predict_turn.
TRIPTYCH_INLINE_HD void predict(const FilterView& view, int d, const FilterMotion& motion) {
  const float moved = view.centre[d] - view.last[d];
  const float velocity = view.velocity[d];
  follow_surprise(view, d, moved - velocity, motion);
  const float next = motion.damp * fmaf(motion.follow, moved - velocity, velocity);
  view.last[d] = view.centre[d];
  view.velocity[d] = next;
  view.centre[d] = limited(view.centre[d] + next, view.dimensions[d]);
  view.elite[d] = view.centre[d];
}
TRIPTYCH_INLINE_HD void predict_turn(const FilterView& view, const FilterMotion& motion) {
  for (int d = 0; d < 3; ++d) follow_surprise(view, d, view.centre[d], motion);
  FilterFrame& frame = *view.frame;
  const Half3 centre = {0.5f * view.centre[0], 0.5f * view.centre[1], 0.5f * view.centre[2]};
  const Half3 velocity = {0.5f * view.velocity[0], 0.5f * view.velocity[1], 0.5f * view.velocity[2]};
  const Half3 moved = compose(velocity, centre);  // the reference held the velocity already
  const Half3 next = {motion.damp * fmaf(motion.follow, moved.x - velocity.x, velocity.x),
                      motion.damp * fmaf(motion.follow, moved.y - velocity.y, velocity.y),
                      motion.damp * fmaf(motion.follow, moved.z - velocity.z, velocity.z)};
  float there[4];
  turned(frame.reference, centre, there);
  turned(there, next, frame.reference);
  frame.back[0] = -centre.x;
  frame.back[1] = -centre.y;
  frame.back[2] = -centre.z;
  for (int d = 0; d < 3; ++d) view.centre[d] = view.elite[d] = 0;
  view.velocity[0] = 2.0f * next.x;
  view.velocity[1] = 2.0f * next.y;
  view.velocity[2] = 2.0f * next.z;
  const float widen = motion.settle * frame.widen;
  frame.widen = widen > 1.0f ? widen : 1.0f;
  ++frame.frame;
}

}  // namespace triptych::capsule_likelihood
