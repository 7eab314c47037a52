// Follower: finds the head frame by frame, by the library's tracker or by one variant of the calculation.
#pragma once

#include <triptych/skin_tracker/tracker.hpp>

#include <opencv2/core/mat.hpp>

#include <memory>
#include <string>

#include "options.hpp"
#include "skin_model.hpp"

namespace triptych::skin_demo {

class Follower {
 public:
  virtual ~Follower() = default;
  // bgr has the size the follower was made for; seconds since the last frame.
  virtual skin_tracker::TrackedHead follow(const cv::Mat& bgr, double seconds) = 0;
  // For people: what runs, and where.
  virtual std::string describe() const = 0;
};

// The library's defaults with what the command line and the calibration say.
skin_tracker::TrackerOptions tracker_options(const Options& options, const SkinModel& model, cv::Size size);

// finder: where the head was detected, it is detected again when it is lost; outlives the follower.
// Unavailable when a GPU is asked for and there is none.
std::unique_ptr<Follower> make_follower(const Options& options, const SkinModel& model, cv::Size size,
                                        apps::FaceFinder& finder);
// options.variant names one. The frame's conversion to the variant's RGBA is not part of the latency.
std::unique_ptr<Follower> make_variant_follower(const Options& options, const SkinModel& model,
                                                cv::Size size);

}  // namespace triptych::skin_demo
