// Pairs of images: disparity by semi-global matching, then points.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/core/error.hpp>

#include <common/frame_source.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

#include "input.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;

namespace {

constexpr double disparity_sigma_px = 0.5;
constexpr double nearest_m = 0.4;  // when no range is given

class StereoInput : public Input {
 public:
  explicit StereoInput(const Options& options)
      : options_(options),
        calibration_(read_calibration(options.calibration)),
        left_(apps::open_frames(options.left)),
        right_(apps::open_frames(options.right)) {}

  bool next(CloudFrame& frame) override {
    frame.points.clear();
    frame.sigma_m.clear();
    if (options_.frames > 0 && at_ == options_.frames) return false;
    cv::Mat left, right;
    const bool more_left = left_->next(left);
    const bool more_right = right_->next(right);
    if (more_left != more_right) uneven_ = true;
    if (!more_left || !more_right) return false;
    ++at_;
    if (left.empty() || right.empty()) {
      ++unreadable_;
      return true;
    }
    check(left, right);
    frame.points = subsample(cloud_of(left, right).points, options_.points,
                             options_.seed + static_cast<std::uint64_t>(at_));
    // An error of disparity moves a point by z^2 / (f b) of it.
    const double scale = disparity_sigma_px / (calibration_.left.fx * calibration_.baseline_m);
    const double least = options_.sigma_m.value_or(SensorModel{}.sigma_m);
    for (const Vec3& p : frame.points)
      frame.sigma_m.push_back(static_cast<float>(std::hypot(least, scale * p.z * p.z)));
    return true;
  }
  int count() const override {
    int all = std::min(left_->count(), right_->count());
    if (options_.frames > 0) all = all > 0 ? std::min(all, options_.frames) : options_.frames;
    return all;
  }
  double frames_per_second() const override { return left_->frames_per_second(); }
  std::string describe() const override { return "stereo of " + options_.left + " and " + options_.right; }
  std::string complaint() const override {
    if (unreadable_ > 0)
      return std::to_string(unreadable_) + " of " + std::to_string(at_) +
             " pairs could not be read and were left out";
    if (uneven_)
      return "one of " + options_.left + " and " + options_.right + " has more frames; pairs were used";
    const std::string complaint = left_->complaint();
    return complaint.empty() ? right_->complaint() : complaint;
  }

 private:
  void check(const cv::Mat& left, const cv::Mat& right) const {
    const auto size = [](int width, int height) {
      return std::to_string(width) + "x" + std::to_string(height);
    };
    if (left.size() != right.size()) {
      throw Error("the images of a pair differ in size, " + size(left.cols, left.rows) + " and " +
                  size(right.cols, right.rows) + ": both must be rectified alike");
    }
    if (calibration_.width > 0 && (calibration_.width != left.cols || calibration_.height != left.rows)) {
      throw Error("the images are " + size(left.cols, left.rows) + " but " + options_.calibration.string() +
                  " is for " + size(calibration_.width, calibration_.height) +
                  ": use the calibration of this size");
    }
  }

  Cloud cloud_of(const cv::Mat& left, const cv::Mat& right) {
    if (!matcher_) make_matcher(left.cols);
    cv::Mat grey_left, grey_right, fixed, disparity;
    cv::cvtColor(left, grey_left, cv::COLOR_BGR2GRAY);
    cv::cvtColor(right, grey_right, cv::COLOR_BGR2GRAY);
    // Matching looks only where the other image has all of its range: the border keeps the left edge.
    cv::copyMakeBorder(grey_left, grey_left, 0, 0, range_, 0, cv::BORDER_REPLICATE);
    cv::copyMakeBorder(grey_right, grey_right, 0, 0, range_, 0, cv::BORDER_REPLICATE);
    matcher_->compute(grey_left, grey_right, fixed);
    fixed = fixed.colRange(range_, fixed.cols).clone();
    fixed.convertTo(disparity, CV_32F, 1.0 / 16);
    disparity.setTo(std::nanf(""), fixed < 16 * matcher_->getMinDisparity());
    DepthOptions depth;
    depth.nearest_m = static_cast<float>(options_.nearest_m);
    if (options_.farthest_m > 0) depth.farthest_m = static_cast<float>(options_.farthest_m);
    const ImageView<const float> view(disparity.ptr<float>(), disparity.cols, disparity.rows,
                                      static_cast<std::int64_t>(disparity.step[0]));
    return cloud_from_disparity(view, calibration_, depth);
  }

  // Disparities from the farthest to the nearest distance in use.
  void make_matcher(int width) {
    const double scale = calibration_.left.fx * calibration_.baseline_m;
    const double near = options_.nearest_m > 0 ? options_.nearest_m : nearest_m;
    const double most = std::clamp(scale / near - calibration_.offset_px, 16.0, 0.6 * width);
    const double least =
        options_.farthest_m > 0 ? std::max(0.0, scale / options_.farthest_m - calibration_.offset_px) : 0.0;
    const int first = static_cast<int>(std::floor(least));
    range_ = std::max(16, (static_cast<int>(std::ceil(most)) - first + 15) / 16 * 16);
    constexpr int block = 5;
    matcher_ = cv::StereoSGBM::create(first, range_, block, 8 * block * block, 32 * block * block, 1, 31, 10,
                                      100, 2, cv::StereoSGBM::MODE_SGBM_3WAY);
    range_ += first;
  }

  Options options_;
  StereoCalibration calibration_;
  std::unique_ptr<apps::FrameSource> left_, right_;
  cv::Ptr<cv::StereoSGBM> matcher_;
  int range_ = 0;  // of the border
  int at_ = 0, unreadable_ = 0;
  bool uneven_ = false;
};

}  // namespace

std::unique_ptr<Input> open_stereo(const Options& options) { return std::make_unique<StereoInput>(options); }

}  // namespace triptych::capsule_demo
