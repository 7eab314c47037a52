#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/opencv.hpp>

#include <common/require_gpu.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "follower.hpp"

namespace triptych::skin_demo {

using namespace skin_tracker;

namespace {

Device device_of(RunOn where) {
  switch (where) {
    case RunOn::cpu:
      return Device::cpu();
    case RunOn::cuda:
      return Device::cuda();
    case RunOn::joint:
      return Device::joint();
    case RunOn::best:
      break;
  }
  return Device::best();
}

class TrackerFollower : public Follower {
 public:
  TrackerFollower(const SkinModel& model, cv::Size size, const TrackerOptions& options, const Device& device)
      : tracker_(model.classifier, options, device) {
    if (!device.is_cuda()) return;
    pinned_.emplace(std::int64_t{size.width} * size.height);
    frame_ = mat_view(ImageView<Bgr8>(pinned_->data(), size.width, size.height));
  }

  // On a GPU the frame is copied to pinned memory first, so that GPU and CPU can share its rows (joint). The
  // copy counts as tracking time but is not part of the tracker's latency.
  TrackedHead follow(const cv::Mat& bgr, double seconds) override {
    if (!pinned_) return tracker_.step(image_view<Bgr8>(bgr), seconds);
    bgr.copyTo(frame_);
    return tracker_.step(image_view<Bgr8>(frame_), seconds);
  }
  std::string describe() const override { return tracker_.device().describe(); }

 private:
  Tracker tracker_;
  std::optional<PinnedBuffer<Bgr8>> pinned_;  // on a GPU
  cv::Mat frame_;                             // a view of it
};

}  // namespace

TrackerOptions tracker_options(const Options& options, const SkinModel& model, cv::Size size) {
  TrackerOptions t;
  if (model.calibration) t = options_for_face(*model.calibration, *model.face, size.width, size.height);
  t.max_width = std::max(t.max_width, size.width);
  t.max_height = std::max(t.max_height, size.height);
  t.gate = options.gate;
  t.min_confidence = options.min_confidence;
  if (options.start) {
    const Box& b = *options.start;
    const int x = static_cast<int>(std::floor(b.x)), y = static_cast<int>(std::floor(b.y));
    t.start = PixelBox{x, y, static_cast<int>(std::ceil(b.x + b.width)) - x,
                       static_cast<int>(std::ceil(b.y + b.height)) - y};
  }
  t.smooth = options.smooth;
  t.reference_distance_m = options.reference_distance_m;
  return t;
}

std::unique_ptr<Follower> make_follower(const Options& options, const SkinModel& model, cv::Size size) {
  if (options.device == RunOn::cuda) apps::require_gpu("--device cuda", "try --device cpu");
  if (options.device == RunOn::joint) apps::require_gpu("--device joint", "try --device cpu");
  if (!options.variant.empty()) return make_variant_follower(options, model, size);
  return std::make_unique<TrackerFollower>(model, size, tracker_options(options, model, size),
                                           device_of(options.device));
}

}  // namespace triptych::skin_demo
