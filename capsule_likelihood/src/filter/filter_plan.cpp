#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "body/rotation.hpp"
#include "filter/filter_plan.hpp"
#include "filter/pose/limbs.hpp"

namespace triptych::capsule_likelihood {

namespace {

FilterDimension angle_dimension(const Rotation& rotation, double reach, int unit,
                                const FilterOptions& options) {
  FilterDimension dimension;
  dimension.unit = unit;
  dimension.lower = rotation.lower_rad;
  dimension.upper = rotation.upper_rad;
  if (detail::turns_freely(rotation)) {
    dimension.lower = -std::numeric_limits<float>::infinity();
    dimension.upper = std::numeric_limits<float>::infinity();
  }
  if (reach > 0)
    dimension.spread =
        std::min(options.max_angle_spread_rad, options.limb_spread_m / static_cast<float>(reach));
  return dimension;
}

std::vector<FilterDimension> make_dimensions(const Skeleton& skeleton, const FilterOptions& options) {
  const float endless = std::numeric_limits<float>::infinity();
  std::vector<FilterDimension> dimensions;
  dimensions.reserve(static_cast<std::size_t>(skeleton.pose_size()) - 1);
  for (int d = 0; d < 3; ++d) dimensions.push_back({options.rotation_spread_rad, -endless, endless, 0});
  for (int d = 0; d < 3; ++d) dimensions.push_back({options.position_spread_m, -endless, endless, 0});
  const std::vector<double> reach = reaches_of(skeleton);
  const std::vector<int> units = units_of(skeleton);
  for (std::size_t j = 1; j < units.size(); ++j) {
    for (const Rotation& rotation : skeleton.joints()[j].rotations)
      dimensions.push_back(angle_dimension(rotation, reach[j], units[j], options));
  }
  return dimensions;
}

void find_limbs(const Skeleton& skeleton, FilterPlan& plan) {
  plan.limbs.assign(static_cast<std::size_t>(plan.units - 1), {});
  for (std::int32_t d = 0; d < plan.dims; ++d) {
    const FilterDimension& dimension = plan.dimensions[static_cast<std::size_t>(d)];
    if (!(dimension.lower < dimension.upper) || dimension.spread <= 0) continue;
    if (dimension.unit == 0) {
      plan.trunk.push_back(d);
    } else {
      plan.limbs[static_cast<std::size_t>(dimension.unit - 1)].dims.push_back(d);
    }
  }
  const std::vector<int> units = units_of(skeleton);
  for (std::size_t j = 0; j < units.size(); ++j) {
    if (units[j] > 0)
      plan.limbs[static_cast<std::size_t>(units[j] - 1)].joints.push_back(static_cast<std::int32_t>(j));
  }
  std::erase_if(plan.limbs, [&](const FilterLimb& limb) {
    return plan.trunk.size() > max_trunk_dims || limb.dims.size() > max_limb_dims || limb.dims.empty();
  });
}

void check(const FilterOptions& options) {
  require(options.samples >= 1 && options.samples <= max_weighed_samples, "a filter needs 1 to ",
          max_weighed_samples, " samples, not ", options.samples);
  require(options.layers >= 1 && options.layers <= 64, "a filter needs 1 to 64 layers, not ", options.layers);
  require(options.max_points >= 1 && options.max_points <= max_rays, "max_points must be 1 to ", max_rays,
          ", not ", options.max_points);
  require(options.fit_steps >= 0 && options.fit_steps <= 100, "fit_steps must be 0 to 100, not ",
          options.fit_steps);
  require(options.search_after_frames >= 0,
          "search_after_frames must not be negative: ", options.search_after_frames);
  require(options.motion == MotionModel::random_walk || options.motion == MotionModel::constant_velocity,
          "the motion model of a filter is unknown");
  require(options.min_score >= 0 && options.min_score <= 1, "min_score must be 0 to 1, not ",
          options.min_score);
  require(options.min_confidence >= 0 && options.min_confidence <= 1, "min_confidence must be 0 to 1, not ",
          options.min_confidence);
  for (const float x : {options.position_spread_m, options.rotation_spread_rad, options.limb_spread_m,
                        options.max_angle_spread_rad, options.start_spread}) {
    require(x >= 0 && x <= 1000, "a filter's spreads must be 0 to 1000, not ", x);
  }
  for (const float x : {options.min_spread, options.shrink, options.velocity_follow, options.velocity_damp,
                        options.mean_reversion})
    require(x >= 0 && x <= 1, "a filter's shares must be 0 to 1, not ", x);
  require(options.effective_share >= 0 && options.effective_share < 1,
          "the share of samples that stay effective must be 0 to below 1, not ", options.effective_share);
  require(options.max_loss_nats >= 0, "max_loss_nats must not be negative: ", options.max_loss_nats);
}

}  // namespace
FilterLayer make_layer(Part part, int units, int samples) {
  FilterLayer layer;
  std::fill(std::begin(layer.group_of_unit), std::end(layer.group_of_unit), -1);
  layer.groups = part == Part::limbs ? units - 1 : 1;
  for (int u = 0; u < units; ++u) {
    if (part == Part::limbs && u == 0) continue;
    const int group = part == Part::limbs ? u - 1 : 0;
    layer.group_of_unit[u] = group;
  }
  layer.compensates = part == Part::trunk;
  // Survivors of different groups are combined at random: group g counts in steps of about g golden sections,
  // each prime to the number of samples.
  for (int g = 0; g < layer.groups; ++g) {
    double whole = 0;
    auto stride = static_cast<std::int64_t>(std::modf(0.6180339887 * g, &whole) * samples);
    stride = std::max<std::int64_t>(stride, 1);
    while (std::gcd(stride, std::int64_t{samples}) != 1) ++stride;
    layer.stride[g] = static_cast<std::uint32_t>(stride);
  }
  return layer;
}

FilterPlan make_plan(const Skeleton& skeleton, const FilterOptions& options) {
  check(options);
  FilterPlan plan;
  plan.samples = options.samples;
  plan.seed = options.seed;
  plan.dimensions = make_dimensions(skeleton, options);
  plan.dims = static_cast<std::int32_t>(plan.dimensions.size());
  for (const FilterDimension& d : plan.dimensions) plan.units = std::max(plan.units, d.unit + 1);
  find_limbs(skeleton, plan);
  plan.start_noise = options.start_spread;
  // What has no spread stays where it is: the fit moves everything.
  plan.fit_steps = std::min({options.position_spread_m, options.rotation_spread_rad, options.limb_spread_m,
                             options.max_angle_spread_rad}) > 0
                       ? options.fit_steps
                       : 0;
  plan.recovers_limbs = options.recover_limbs;
  plan.motion.recall = 0.3f;
  plan.motion.gain = 2;
  plan.motion.least = options.min_spread;
  plan.motion.reversion = options.mean_reversion;
  if (options.motion == MotionModel::constant_velocity) {
    plan.motion.follow = options.velocity_follow;
    plan.motion.damp = options.velocity_damp;
  }
  const bool parts = plan.units > 1 && options.samples >= 8 * plan.units && options.partitioned;
  // One layer of the trunk, two of the limbs, which move faster and share the samples. The spreads of each
  // shrink from its own first layer on.
  float trunk_noise = 1, limb_noise = 1;
  for (int i = 0; i < options.layers; ++i) {
    Part part = Part::all;
    if (parts && options.layers > 1) part = i % 3 == 0 ? Part::trunk : Part::limbs;
    FilterLayer layer = make_layer(part, plan.units, options.samples);
    layer.noise = part == Part::limbs ? limb_noise : trunk_noise;
    if (options.layers > 1) {  // a single layer is the plain particle filter
      layer.keep = 0.8f;
      layer.tail = 4;
      layer.elite = true;
      layer.max_loss = double{options.max_loss_nats};
    }
    layer.target_share = double{options.effective_share};
    plan.layers.push_back(layer);
    trunk_noise *= options.shrink;
    if (i > 0) limb_noise *= options.shrink;
  }
  if (!plan.layers.front().compensates) plan.limbs.clear();  // no layer compensates
  return plan;
}

double effective_of(std::span<const Tempering> temperings, std::int32_t samples) {
  double share = 1;
  const auto groups = static_cast<std::int32_t>(temperings.size());
  for (std::int32_t g = 0; g < groups; ++g) {
    const std::int32_t n = group_begin(g + 1, samples, groups) - group_begin(g, samples, groups);
    share = std::min(share, temperings[static_cast<std::size_t>(g)].effective_samples / n);
  }
  return share * samples;
}

double highest_of(std::span<const Tempering> temperings) {
  double highest = -std::numeric_limits<double>::infinity();
  for (const Tempering& t : temperings) highest = std::max(highest, t.highest);
  return highest;
}

double score_of(double log_likelihood, double max_loss) {
  const double score = max_loss > 0 ? 1 + log_likelihood / max_loss : 0;
  return score > 0 ? std::min(score, 1.0) : 0;  // 0 also for a likelihood that is not finite
}

FilterView view_of(const FilterPlan& plan, FilterState& state) {
  FilterView v;
  v.samples = plan.samples;
  v.dims = plan.dims;
  v.dimensions = plan.dimensions.data();
  v.frame = &state.frame;
  v.centre = state.centre.data();
  v.elite = state.elite.data();
  v.velocity = state.velocity.data();
  v.last = state.last.data();
  v.innovation = state.innovation.data();
  v.spread = state.spread.data();
  v.home = state.home.data();
  v.population = state.population.data();
  v.poses = state.poses.data();
  v.trunk_dims = static_cast<std::int32_t>(plan.trunk.size());
  v.trunk = plan.trunk.data();
  return v;
}

FilterState make_start(const FilterPlan& plan, std::span<const float> pose, float widen, int threads) {
  require(static_cast<std::int32_t>(pose.size()) == plan.dims + 1, "a filter cannot start at a pose of ",
          pose.size(), " numbers: this skeleton's have ", plan.dims + 1);
  for (const float x : pose) require(std::isfinite(x), "a filter cannot start at a pose that is not finite");
  const double norm = triptych::length(triptych::length(double{pose[3]}, double{pose[4]}),
                                       triptych::length(double{pose[5]}, double{pose[6]}));
  require(norm > 1e-6, "a filter cannot start at an orientation of length ", norm);
  const auto dims = static_cast<std::size_t>(plan.dims), samples = static_cast<std::size_t>(plan.samples);
  FilterState state;
  state.frame.seed = plan.seed;
  state.frame.widen = widen;
  for (int i = 0; i < 4; ++i)
    state.frame.reference[i] =
        static_cast<float>(double{pose[std::size_t{3} + static_cast<std::size_t>(i)]} / norm);
  state.centre.assign(dims, 0);
  for (std::size_t d = 3; d < dims; ++d) {
    const float x = pose[d < root_dims ? d - 3 : d + 1];
    state.centre[d] = std::clamp(x, plan.dimensions[d].lower, plan.dimensions[d].upper);
  }
  state.velocity.assign(dims, 0);
  state.last = state.elite = state.home = state.centre;
  for (const FilterDimension& dimension : plan.dimensions) {
    state.spread.push_back(dimension.spread);
    const float innovation = plan.motion.gain > 0 ? dimension.spread / plan.motion.gain : 0.0f;
    state.innovation.push_back(innovation * innovation);
  }
  state.population.assign(samples * dims, 0);
  state.poses.assign((samples + 1) * (dims + 1), 0);
  const FilterView view = view_of(plan, state);
  parallel_for(0, plan.samples, threads, [&](std::int64_t row) {
    for (int block = 0; block * dims_per_block < plan.dims; ++block)
      start_block(view, plan.start_noise * widen, static_cast<std::int32_t>(row), block);
  });
  return state;
}

}  // namespace triptych::capsule_likelihood
