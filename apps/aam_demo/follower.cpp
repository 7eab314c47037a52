#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <common/face_finder.hpp>

#include <algorithm>
#include <utility>

#include "follower.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

namespace {

constexpr int max_pause = 8;         // frames between searches
constexpr double max_overlap = 0.3;  // of two fits whose boxes overlap by more, one stays

// Intersection over union.
double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  const double both = std::max(0.0, width) * std::max(0.0, height);
  return both / (a.width * a.height + b.width * b.height - both);
}

}  // namespace

void check_box(const Box& box, cv::Size frame) {
  const double width = std::min(box.x + box.width, static_cast<double>(frame.width)) - std::max(box.x, 0.0);
  const double height =
      std::min(box.y + box.height, static_cast<double>(frame.height)) - std::max(box.y, 0.0);
  require(std::max(0.0, width) * std::max(0.0, height) >= 0.5 * box.width * box.height,
          "less than half of the box ", box.x, ",", box.y, ",", box.width, ",", box.height,
          " lies in the image of ", frame.width, " x ", frame.height, " pixels");
}

Follower::Follower(const Model& model, const FitterOptions& options, const Device& device, bool track,
                   const std::optional<Box>& init, const PoseOptions& pose, double frames_per_second,
                   apps::FaceDetector* detector, bool search)
    : fitter_(model, options, device),
      init_(init),
      pose_(pose),
      seconds_per_frame_(frames_per_second > 0 ? 1 / frames_per_second : 1.0 / 30),
      detector_(detector),
      search_(search || detector == nullptr || !detector->ready()) {
  if (track) tracker_.emplace(model, FaceTrackerOptions{.fitter = options}, device);
}

Found Follower::from(const cv::Mat& grey, Shape start) {
  const Stopwatch watch;
  Found result;
  result.fit = check_face(fitter_.model(), image_view<Grey8>(grey),
                          fitter_.step(Face{image_view<Grey8>(grey), start}));
  result.fit_ms = watch.elapsed_ms();
  result.start = std::move(start);
  result.found = result.fit.found();
  result.reason = reason(result.fit);
  return result;
}

std::vector<Found> Follower::detected(const cv::Mat& grey) {
  const Stopwatch watch;
  const std::vector<Box> boxes = detector_ != nullptr ? detector_->detect(grey) : std::vector<Box>{};
  if (boxes.empty()) return {};
  const double search_ms = watch.elapsed_ms();
  std::vector<Face> starts;
  starts.reserve(boxes.size());
  for (const Box& box : boxes)
    starts.push_back({image_view<Grey8>(grey),
                      start_in_box(fitter_.model(), box, apps::cascade_offset, grey.cols, grey.rows)});
  const Stopwatch fits_watch;
  std::vector<Fit> fits = fitter_.step(std::span<const Face>(starts));
  const double fit_ms = fits_watch.elapsed_ms() / static_cast<double>(fits.size());
  std::vector<Found> all;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    fits[i] = check_face(fitter_.model(), image_view<Grey8>(grey), std::move(fits[i]));
    if (!fits[i].found()) continue;
    const bool known = std::any_of(all.begin(), all.end(), [&](const Found& other) {
      return overlap(bounds(other.fit.landmarks), bounds(fits[i].landmarks)) > max_overlap;
    });
    if (known) continue;
    Found found;
    found.fit = std::move(fits[i]);
    found.start = std::move(starts[i].start);
    found.found = true;
    found.fit_ms = fit_ms;
    found.search_ms = search_ms;
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<Found> Follower::faces(const cv::Mat& grey) {
  if (tracker_ || init_) return {next(grey)};
  const Stopwatch watch;
  if (std::vector<Found> all = detected(grey); !all.empty()) {
    for (Found& found : all) add_pose(grey, found);
    return all;
  }
  const double detected_ms = watch.elapsed_ms();
  Found result = next(grey);
  result.search_ms += detected_ms;
  return {std::move(result)};
}

std::optional<Fit> Follower::search(const cv::Mat& grey) {
  // The boxes in which the search starts are shares of the shorter side, and it covers the longer one with
  // them.
  constexpr int min_px = 24, max_ratio = 16;
  const int shorter = std::min(grey.cols, grey.rows), longer = std::max(grey.cols, grey.rows);
  require(shorter >= min_px && longer <= max_ratio * shorter, "a face cannot be searched for in an image of ",
          grey.cols, " x ", grey.rows, " pixels, which is ",
          shorter < min_px ? "smaller than a face" : "too long for its other side",
          ": name the box of the landmarks with --init X,Y,W,H, or cut out the part with the face");
  std::vector<Fit> faces = find_faces(fitter_, image_view<Grey8>(grey), {.max_faces = 1});
  if (faces.empty()) return {};
  return std::move(faces.front());
}

std::string Found::status() const {
  if (!found && !is_lost(fit.status)) return fit.landmarks.empty() ? "no_face" : "lost";
  return to_string(fit.status);
}

Image<Grey8> Follower::texture(const cv::Mat& grey, const Fit& fit) const {
  const Model& model = fitter_.model();
  if (!has_appearance(model)) return fitter_.texture(fit);
  return appearance_picture(model, appearance_of(model, image_view<Grey8>(grey), fit.landmarks));
}

Found Follower::next(const cv::Mat& grey) {
  Found result = find(grey);
  add_pose(grey, result);
  if (!result.found) smoother_.reset();
  if (result.pose && pose_.smooth && tracker_)
    result.pose = smoother_.smooth(*result.pose, seconds_per_frame_);
  return result;
}

void Follower::add_pose(const cv::Mat& grey, Found& result) const {
  if (!result.found || result.fit.landmarks.size() != mean_face_68().size()) return;
  result.camera = camera_of(grey.cols, grey.rows, pose_.focal_px);
  const HeadPose pose = estimate_head_pose(result.fit.landmarks, result.camera);
  if (pose.converged) result.pose = pose;
}

Found Follower::find(const cv::Mat& grey) {
  std::optional<Box> box;
  Found result;
  if (!following_) {
    if (init_) {
      check_box(*init_, grey.size());
      box = init_;
    } else if (tracker_ && frames_to_skip_ > 0) {
      --frames_to_skip_;
      result.reason =
          "no face was found in the last search, and it is searched for in some frames alone: wait, or "
          "name the box of its landmarks with --init X,Y,W,H";
      return result;
    } else {
      const Stopwatch watch;
      // In a video the detector's largest face is followed.
      const std::vector<Found> in_boxes = tracker_ ? detected(grey) : std::vector<Found>{};
      std::optional<Fit> face;
      if (!in_boxes.empty()) face = in_boxes.front().fit;
      if (!face && search_) face = search(grey);
      result.search_ms = watch.elapsed_ms();
      frames_to_skip_ = face ? 0 : pause_;
      pause_ = face ? 1 : std::min(2 * pause_, max_pause);
      if (!face) {
        result.reason =
            "no face was found in the image: name the box of its landmarks with --init X,Y,W,H, or use a "
            "model "
            "that was trained on such faces";
        return result;
      }
      box = bounds(face->landmarks);
    }
  }
  if (!tracker_) {
    const double search_ms = result.search_ms;
    result = from(grey, start_in_box(fitter_.model(), *box, grey.cols, grey.rows));
    result.search_ms = search_ms;
  } else {
    const Stopwatch watch;
    const ImageView<const Grey8> image = image_view<Grey8>(grey);
    const TrackedFace tracked = tracker_->step(image, box);
    result.fit = tracked.fit;
    result.found = tracked.found();
    result.reason = reason(tracked);
    if (box && result.found) {  // what is followed from here on
      result.fit = check_face(fitter_.model(), image, std::move(result.fit));
      result.found = result.fit.found();
      result.reason = reason(result.fit);
    }
    following_ = result.found;
    result.fit_ms = watch.elapsed_ms();
    if (box) result.start = start_in_box(fitter_.model(), *box, grey.cols, grey.rows);
  }
  return result;
}

}  // namespace triptych::aam_demo
