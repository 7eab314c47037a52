#include <triptych/core/device.hpp>
#include <triptych/core/opencv.hpp>

#include <common/require_gpu.hpp>

#include "follower.hpp"

namespace triptych::skin_demo {

using namespace skin_tracker;

namespace {

class TrackerFollower : public Follower {
 public:
  TrackerFollower(const SkinModel& model, cv::Size size, const TrackerOptions& options)
      : on_(options.on),
        ordinal_(options.ordinal),
        tracker_(model.classifier, FrameFormat::bgr, size.width, size.height, options) {}

  TrackedHead follow(const cv::Mat& bgr, double seconds) override {
    return tracker_.track(Frame(image_view<Bgr8>(bgr)), seconds);
  }
  std::string describe() const override {
    if (on_ == TrackOn::cpu) return Device::cpu().describe();
    const std::string gpu = Device::cuda(ordinal_).describe();
    return on_ == TrackOn::cuda ? gpu : gpu + " and " + Device::cpu().describe();
  }

 private:
  TrackOn on_;
  int ordinal_;
  Tracker tracker_;
};

}  // namespace

TrackerOptions tracker_options(const Options& options, const SkinModel& model) {
  TrackerOptions t;
  switch (options.device) {
    case RunOn::best:
      t.on = Device::best().is_cuda() ? TrackOn::cuda : TrackOn::cpu;
      break;
    case RunOn::cpu:
      t.on = TrackOn::cpu;
      break;
    case RunOn::cuda:
      t.on = TrackOn::cuda;
      break;
    case RunOn::joint:
      t.on = TrackOn::joint;
      break;
  }
  t.gate = options.gate;
  t.smooth = options.smooth;
  if (options.gate) {
    t.start = model.start;
    if (model.calibration) t.gate_by = model.calibration->colours;
  }
  if (model.calibration && model.calibration->area > 0) t.reference_area = model.calibration->area;
  return t;
}

std::unique_ptr<Follower> make_follower(const Options& options, const SkinModel& model, cv::Size size) {
  if (options.device == RunOn::cuda) apps::require_gpu("--device cuda", "try --device cpu");
  if (options.device == RunOn::joint) apps::require_gpu("--device joint", "try --device cpu");
  if (!options.variant.empty()) return make_variant_follower(options, model, size);
  return std::make_unique<TrackerFollower>(model, size, tracker_options(options, model));
}

}  // namespace triptych::skin_demo
