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

// A detection takes as long as many frames: while the head is lost, one in so many is searched.
constexpr int frames_per_detection = 10;

PixelBox enclosing(const Box& b) {
  const int x = static_cast<int>(std::floor(b.x)), y = static_cast<int>(std::floor(b.y));
  return {x, y, static_cast<int>(std::ceil(b.x + b.width)) - x,
          static_cast<int>(std::ceil(b.y + b.height)) - y};
}

class TrackerFollower : public Follower {
 public:
  // finder: null when the head was not detected but named.
  TrackerFollower(const SkinModel& model, cv::Size size, const TrackerOptions& options, const Device& device,
                  apps::FaceFinder* finder)
      : model_(model), options_(options), finder_(finder), tracker_(model.classifier, options, device) {
    if (!device.is_cuda()) return;
    pinned_.emplace(std::int64_t{size.width} * size.height);
    frame_ = mat_view(ImageView<Bgr8>(pinned_->data(), size.width, size.height));
  }

  // On a GPU the frame is copied to pinned memory first, so that GPU and CPU can share its rows (joint). The
  // copy counts as tracking time but is not part of the tracker's latency.
  TrackedHead follow(const cv::Mat& bgr, double seconds) override {
    const TrackedHead head = step(bgr, seconds);
    lost_frames_ = head.found() ? 0 : lost_frames_ + 1;
    if (finder_ == nullptr || lost_frames_ == 0 || lost_frames_ % frames_per_detection != 0) return head;
    const std::optional<Box> face = detect_face(bgr, *finder_);
    if (!face) return head;
    options_.start = enclosing(*face);
    tracker_ = Tracker(model_.classifier, options_, tracker_.device());
    return step(bgr, seconds);
  }
  std::string describe() const override { return tracker_.device().describe(); }

 private:
  TrackedHead step(const cv::Mat& bgr, double seconds) {
    if (!pinned_) return tracker_.step(image_view<Bgr8>(bgr), seconds);
    bgr.copyTo(frame_);
    return tracker_.step(image_view<Bgr8>(frame_), seconds);
  }

  const SkinModel& model_;
  TrackerOptions options_;
  apps::FaceFinder* finder_;
  int lost_frames_ = 0;
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
  if (options.start) t.start = enclosing(*options.start);
  t.smooth = options.smooth;
  t.reference_distance_m = options.reference_distance_m;
  return t;
}

std::unique_ptr<Follower> make_follower(const Options& options, const SkinModel& model, cv::Size size,
                                        apps::FaceFinder& finder) {
  if (options.device == RunOn::cuda) apps::require_gpu("--device cuda", "try --device cpu");
  if (options.device == RunOn::joint) apps::require_gpu("--device joint", "try --device cpu");
  if (!options.variant.empty()) return make_variant_follower(options, model, size);
  return std::make_unique<TrackerFollower>(model, size, tracker_options(options, model, size),
                                           device_of(options.device),
                                           options.detects() && model.face ? &finder : nullptr);
}

}  // namespace triptych::skin_demo
