// Finding the face in frame after frame: from a given box, from where it was, or by a search.
#pragma once

#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/aam_fit/head_pose.hpp>

#include <common/face_detector.hpp>
#include <opencv2/core/mat.hpp>

#include <optional>
#include <string>
#include <vector>

namespace triptych::aam_demo {

struct PoseOptions {
  double focal_px = 0;  // 0: the width of the image
  bool smooth = false;  // in a video
};

struct Found {
  aam_fit::Fit fit;                     // without landmarks when a search has found no face
  std::optional<aam_fit::Shape> start;  // not when the fit started from the frame before
  bool found = false;
  std::string reason;                     // why not; empty when found
  std::optional<aam_fit::HeadPose> pose;  // of found faces with 68 landmarks
  aam_fit::PinholeCamera camera;          // of the pose
  double fit_ms = 0;
  double search_ms = 0;  // 0 when there was no search
  // The fit's, or what became of it in the video.
  std::string status() const;
};

class Follower {
 public:
  // track: frames are of one video. init: where the landmarks are at first, and in every frame without track.
  // detector: shows where to look for faces. search: where it shows none, the model itself searches; a
  // detector that is not ready never shows any, and the model searches whatever `search` is.
  Follower(const aam_fit::Model& model, const aam_fit::FitterOptions& options, const Device& device,
           bool track, const std::optional<Box>& init, const PoseOptions& pose, double frames_per_second,
           apps::FaceDetector* detector = nullptr, bool search = true);

  // grey: 8 bits. InvalidArgument when the given box does not fit the frame.
  Found next(const cv::Mat& grey);
  // All faces of an image, the largest first; one Found that says why when there is none. Of a video, and
  // with a given box: next().
  std::vector<Found> faces(const cv::Mat& grey);
  // The model's texture for the face that was found.
  Image<Grey8> texture(const cv::Mat& grey, const aam_fit::Fit& fit) const;

 private:
  Found find(const cv::Mat& grey);
  void add_pose(const cv::Mat& grey, Found& result) const;  // of a face with 68 landmarks
  Found from(const cv::Mat& grey, aam_fit::Shape start);
  // The faces in the detector's boxes, fitted as one batch.
  std::vector<Found> detected(const cv::Mat& grey);
  // The best face that find_faces() finds.
  std::optional<aam_fit::Fit> search(const cv::Mat& grey);

  aam_fit::Fitter fitter_;
  std::optional<aam_fit::FaceTracker> tracker_;
  std::optional<Box> init_;
  PoseOptions pose_;
  aam_fit::PoseSmoother smoother_;
  double seconds_per_frame_;
  apps::FaceDetector* detector_;
  bool search_;
  bool following_ = false;
  // While the face of a video is lost it is searched for in ever fewer frames: a search takes as long as many
  // frames.
  int frames_to_skip_ = 0, pause_ = 1;
};

// InvalidArgument when less than half of the box lies in the frame.
void check_box(const Box& box, cv::Size frame);

}  // namespace triptych::aam_demo
