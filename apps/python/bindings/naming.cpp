#include "naming.hpp"

namespace triptych::python {

namespace {

struct Sentence {
  std::string_view beginning, part, keywords;
};

// Sentences of the libraries without the keywords of Python in them: how they begin, a part of them, and the
// keywords. tests/test_options.py meets each.
constexpr Sentence sentences[] = {
    // skin
    {"moments with weight cannot come from a frame of", "", "width, height"},
    {"the reference area of distances", "", "reference_area"},
    {"the reference distance must be", "", "reference_distance_m"},
    {"the area below which a head is lost", "", "lost_below_area"},
    {"the time since the last value", "", "seconds"},
    {"a screen cannot be", "", "screen_width_m, screen_height_m"},
    {"the near and far planes must satisfy", "", "near_m, far_m"},
    {"a head cannot be at the position", "", "x_px, y_px"},
    {"the distance of a head", "", "distance_m"},
    {"a camera's frame cannot be", "", "width_px, height_px"},
    {"a camera's angle of view", "", "angle_of_view_rad"},
    {"a camera cannot be", "", "above_screen_middle_m"},
    {"a synthetic scene must have from", "", "width, height"},
    {"a synthetic scene must have at least one frame", "", "frames"},
    {"\"", " is no filter; expected", "text"},
    {"\"", " is no classifier; expected", "name"},
    // capsule
    {"a factor of", "", "thigh, shin, upper_arm, forearm, torso, shoulders, hips, girth"},
    {"a rate of", "", "rate_hz"},
    {"the walk goes on for too long", "",
     "frames, rate_hz, speed_mps, stride_hz, heading_rad, turn_rad_per_s"},
    {"a distance of the view", "", "distance_m, nearest_m"},
    {"the yaw of the view", "", "yaw_rad"},
    {"a unit of", "", "metres_per_unit"},
    {"a frame time of", "", "frame_time_s"},
    {"a noise of", "", "noise_m"},
    {"a reference distance of", "", "noise_reference_m"},
    {"sigma must be above 0", "", "sigma_m"},
    {"tau must be above 0", "", "tau_m"},
    {"a filter's spreads", "",
     "position_spread_m, rotation_spread_rad, limb_spread_m, max_angle_spread_rad, start_spread"},
    {"a filter's shares", "", "min_spread, shrink, velocity_follow, velocity_damp, mean_reversion"},
    {"the share of samples that stay effective", "", "effective_share"},
    {"max_loss_nats must", "", "max_loss_nats"},
    {"frame ", " of the motion", "fixed_at_frame"},
    {"capsule ", " has a radius of", "radius_m"},
    {"capsule ", " has an end that", "a_m, b_m"},
    {"joint ", " has an offset that", "offset_m"},
    {"joint ", " has a limit that", "lower_rad, upper_rad"},
    {"a camera with focal lengths", "", "intrinsics"},
    {"a baseline of", "", "baseline_m"},
    {"an offset of", "", "offset_px"},
    // aam
    {"a model has 1 to 8 resolutions", "", "count"},
    {"a model has at most 64 resolutions", "", "levels"},
    {"a model cannot have ", " modes", "shape_modes, texture_modes, modes"},
    {"the widths of features", "", "smooth_px, local_px, pool_px"},
    {"a share of the variance", "", "shape_variance, texture_variance, combined_variance"},
    {"a fit cannot have", "", "max_iterations"},
    {"a fit tries", "", "steps"},
    {"the least gain and the least move", "", "min_relative_gain, min_move_px"},
    {"the share of pixels outside", "", "max_outside_fraction"},
    {"a crop cannot have a margin", "", "crop_margin"},
    {"a face is fitted from 1 to 9 starts", "", "starts"},
    {"the error at which a face is lost", "", "lost_error"},
    {"starts cannot be displaced", "", "shift, scale, rotation_rad"},
    {"a synthetic face needs an image", "", "width, height"},
    {"boxes cannot overlap", "", "max_overlap"},
};

}  // namespace

std::string with_keywords(std::string_view sentence) {
  for (const Sentence& one : sentences)
    if (sentence.starts_with(one.beginning) && sentence.find(one.part) != sentence.npos)
      return std::string(one.keywords) + ": " + std::string(sentence);
  return std::string(sentence);
}

}  // namespace triptych::python
