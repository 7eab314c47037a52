#include <triptych/core/clock.hpp>
#include <triptych/skin_tracker/one_euro.hpp>

#include <opencv2/imgproc.hpp>

#include <cmath>
#include <memory>
#include <utility>

#include "calculation.hpp"
#include "follower.hpp"

namespace triptych::skin_demo {

using namespace skin_tracker;

namespace {

class VariantFollower : public Follower {
 public:
  VariantFollower(std::unique_ptr<Calculation> calculation, cv::Size size, const TrackerOptions& options)
      : calculation_(std::move(calculation)),
        rgba_(size, CV_8UC4, calculation_->pixels()),
        options_(options),
        smooth_x_(options.smoothing),
        smooth_y_(options.smoothing) {}

  TrackedHead follow(const cv::Mat& bgr, double seconds) override {
    cv::cvtColor(bgr, rgba_, cv::COLOR_BGR2RGBA);
    const Stopwatch watch;
    last_.raw = calculation_->locate();
    last_.latency_us = watch.elapsed_us();
    last_.window = {0, 0, bgr.cols, bgr.rows};
    last_.area = last_.raw.area;
    last_.status = !last_.raw.found                        ? HeadStatus::lost_no_skin
                   : last_.area < options_.lost_below_area ? HeadStatus::lost_too_small
                                                           : HeadStatus::found;
    last_.score = last_.found() ? score_of(last_.raw) : 0;
    if (last_.found()) {
      last_.x_px = options_.smooth ? smooth_x_.filter(last_.raw.x_px, seconds) : last_.raw.x_px;
      last_.y_px = options_.smooth ? smooth_y_.filter(last_.raw.y_px, seconds) : last_.raw.y_px;
      last_.distance_m = options_.reference_distance_m * std::sqrt(options_.reference_area / last_.area);
    }
    return last_;
  }

  std::string describe() const override { return calculation_->describe(); }

 private:
  std::unique_ptr<Calculation> calculation_;
  cv::Mat rgba_;  // over the calculation's pixels
  TrackerOptions options_;
  OneEuro smooth_x_, smooth_y_;
  TrackedHead last_;
};

}  // namespace

std::unique_ptr<Follower> make_variant_follower(const Options& options, const SkinModel& model,
                                                cv::Size size) {
  return std::make_unique<VariantFollower>(
      make_calculation(options.variant, model.classifier, size.width, size.height), size,
      tracker_options(options, model, size));
}

}  // namespace triptych::skin_demo
