// Depth images, with the joints of a sensor's own software beside them where there are.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/core/error.hpp>

#include <common/frame_source.hpp>
#include <common/program.hpp>
#include <opencv2/imgcodecs.hpp>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "background.hpp"
#include "input.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;
namespace fs = std::filesystem;

namespace {

// How the bones connect the Kinect's joints.
constexpr std::pair<std::string_view, std::string_view> kinect_bones[] = {
    {"spine", "hip_center"},           {"shoulder_center", "spine"},
    {"head", "shoulder_center"},       {"left_shoulder", "shoulder_center"},
    {"left_elbow", "left_shoulder"},   {"left_wrist", "left_elbow"},
    {"left_hand", "left_wrist"},       {"right_shoulder", "shoulder_center"},
    {"right_elbow", "right_shoulder"}, {"right_wrist", "right_elbow"},
    {"right_hand", "right_wrist"},     {"left_hip", "hip_center"},
    {"left_knee", "left_hip"},         {"left_ankle", "left_knee"},
    {"left_foot", "left_ankle"},       {"right_hip", "hip_center"},
    {"right_knee", "right_hip"},       {"right_ankle", "right_knee"},
    {"right_foot", "right_ankle"}};

Reference reference_of(const JointTable& table) {
  Reference reference;
  reference.exact = false;
  reference.names = table.names;
  for (const std::string& name : table.names) {
    int parent = -1;
    for (const auto& [joint, above] : kinect_bones) {
      if (joint == name) parent = table.find(above);
    }
    reference.parents.push_back(parent);
  }
  return reference;
}

class DepthInput : public Input {
 public:
  explicit DepthInput(const Options& options)
      : options_(options), files_(apps::images_in(options.depth)), background_(options) {
    if (options.truth.empty()) return;
    truth_ = read_joints_csv(options.truth);
    reference_ = reference_of(truth_);
    if (truth_.frames.empty() || truth_.frames.front() != 0) {
      throw Error(options.truth.string() +
                  " has no joints for frame 0, the first image; the body and its first pose "
                  "come from there: leave out --truth to search for them");
    }
    FittedHuman human = fit_human(truth_.names, truth_.row(0));
    body_.emplace(KnownBody{std::move(human.skeleton), std::move(human.start.pose),
                            "a person fitted to the joints of frame 0", false});
  }

  bool next(CloudFrame& frame) override {
    frame.points.clear();
    frame.sigma_m.clear();
    frame.truth.clear();
    if (at_ == files_.size() || (options_.frames > 0 && at_ == static_cast<std::size_t>(options_.frames)))
      return false;
    const fs::path& file = files_[at_];
    const cv::Mat image = read(file);
    if (image.empty()) {
      if (unreadable_++ == 0) first_unreadable_ = file;
    } else {
      frame.points =
          subsample(background_.without(cloud_of(image).points), options_.points, options_.seed + at_);
    }
    if (reference_) frame.truth = truth_at(static_cast<std::int64_t>(at_));
    ++at_;
    return true;
  }
  int count() const override {
    const int all = static_cast<int>(files_.size());
    return options_.frames > 0 ? std::min(all, options_.frames) : all;
  }
  double frames_per_second() const override { return options_.rate_hz; }
  std::string describe() const override {
    return std::to_string(files_.size()) + " depth images of " + options_.depth.string();
  }
  std::vector<std::string> notes() const override {
    return background_.note().empty() ? std::vector<std::string>{} : std::vector{background_.note()};
  }
  const KnownBody* body() const override { return body_ ? &*body_ : nullptr; }
  const Reference* reference() const override { return reference_ ? &*reference_ : nullptr; }
  std::string complaint() const override {
    if (unreadable_ == 0) return {};
    return std::to_string(unreadable_) + " of " + std::to_string(at_) +
           " images could not be read as 16-bit depth and were left out, the first of them " +
           first_unreadable_.string();
  }

 private:
  static cv::Mat read(const fs::path& file) {
    const apps::QuietStderr quiet;
    try {
      const cv::Mat image = cv::imread(file.string(), cv::IMREAD_UNCHANGED);
      return image.type() == CV_16UC1 ? image : cv::Mat();
    } catch (const cv::Exception&) {
      return {};
    }
  }

  Cloud cloud_of(const cv::Mat& image) const {
    DepthOptions depth;
    if (options_.metres_per_unit > 0) depth.metres_per_unit = options_.metres_per_unit;
    depth.nearest_m = static_cast<float>(options_.nearest_m);
    if (options_.farthest_m > 0) depth.farthest_m = static_cast<float>(options_.farthest_m);
    const ImageView<const std::uint16_t> view(image.ptr<std::uint16_t>(), image.cols, image.rows,
                                              static_cast<std::int64_t>(image.step[0]));
    return cloud_from_depth(view, *options_.intrinsics, depth);
  }

  std::vector<Vec3> truth_at(std::int64_t frame) const {
    const auto row = std::lower_bound(truth_.frames.begin(), truth_.frames.end(), frame);
    if (row == truth_.frames.end() || *row != frame) {
      constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
      return std::vector<Vec3>(truth_.names.size(), Vec3{unknown, unknown, unknown});
    }
    const auto positions = truth_.row(static_cast<std::size_t>(row - truth_.frames.begin()));
    return {positions.begin(), positions.end()};
  }

  Options options_;
  std::vector<fs::path> files_;
  Background background_;
  JointTable truth_;
  std::optional<Reference> reference_;
  std::optional<KnownBody> body_;
  std::size_t at_ = 0;
  int unreadable_ = 0;
  fs::path first_unreadable_;
};

}  // namespace

std::unique_ptr<Input> open_depth(const Options& options) { return std::make_unique<DepthInput>(options); }

}  // namespace triptych::capsule_demo
