#include <triptych/core/clock.hpp>
#include <triptych/skin_tracker/one_euro.hpp>

#include <opencv2/imgproc.hpp>

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
    const Head raw = calculation_->locate();
    const double latency_us = watch.elapsed_us();
    TrackedHead head = tracked_head(raw, bgr.cols, bgr.rows, options_);
    head.latency_us = latency_us;
    if (head.found() && options_.smooth) {
      head.x_px = smooth_x_.filter(raw.x_px, seconds);
      head.y_px = smooth_y_.filter(raw.y_px, seconds);
    } else if (!head.found()) {
      head.x_px = last_.x_px;
      head.y_px = last_.y_px;
      head.distance_m = last_.distance_m;
    }
    return last_ = head;
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
