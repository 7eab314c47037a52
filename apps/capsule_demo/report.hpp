// What a run says about itself: poses and frames as CSV, the motion as BVH, the summary as JSON and in words.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"

namespace triptych::capsule_demo {

class Report {
 public:
  // reference: the names of the joints that errors are given for; none: there is no truth.
  Report(const capsule_likelihood::Skeleton& skeleton, std::vector<std::string> reference)
      : skeleton_(skeleton), reference_(std::move(reference)) {}

  // A frame of the input by its number there. errors_mm: one for each name of the reference, NaN where it is
  // not known.
  void add(int frame, const capsule_likelihood::Estimate& estimate, const std::vector<double>& errors_mm,
           double tracking_s);
  // A frame that could not be read.
  void add_unread(int frame);
  // Time spent on a frame besides the filter: reading or making its cloud, and drawing and writing its
  // picture.
  void add_reading_s(double seconds) { seconds_.reading += seconds; }
  void add_drawing_s(double seconds) { seconds_.drawing += seconds; }

  int frames() const { return static_cast<int>(rows_.size()); }
  // Of the last frame, and of all so far.
  std::optional<double> error_mm() const;
  std::optional<double> mean_error_mm() const;
  // Frames per second of the filter alone, over the last frames.
  double tracking_rate() const;

  static constexpr const char* poses_header = "frame,joint,x_m,y_m,z_m\n";
  static constexpr const char* frames_header =
      "frame,error_mm,worst_mm,worst_joint,effective_samples,points,tracking_ms,found,confidence,reason\n";
  // The lines of the frames from `first` on, which counts those of this report. The positions of frames in
  // which the body was not found are empty.
  std::string poses_rows(int first) const;
  std::string frames_rows(int first) const;
  // In frames in which the body was not found it stays where it was found last (or first). Nothing when it
  // was never found.
  std::optional<std::string> poses_bvh(double frames_per_second) const;
  struct About {
    std::string input, body, start, device;
    double frames_per_second;
    double search_s;  // for the first pose
    std::optional<double> search_confidence;
    bool complete;  // all frames of the input were seen
  };
  Json json(const Options& options, const About& about) const;
  // A table of the joints' errors, empty without truth.
  std::string table() const;
  // "150 frames, ..." and a second line with the times, without a full stop.
  std::string sentence() const;
  // What to do when the body was not found in most frames; else empty.
  std::string advice() const;

 private:
  struct Row {
    int frame;
    std::vector<float> pose;
    std::vector<capsule_likelihood::Vec3> joints;
    std::vector<double> errors_mm;
    double effective_samples, tracking_s, score, confidence;
    std::int64_t points;
    bool found, read;
    std::string reason;
  };
  struct JointError {
    std::string name;
    double mean_mm = 0, largest_mm = 0;
    int frames = 0, beyond = 0;  // the longest run of frames beyond lost_mm
  };
  static std::optional<double> mean_of(const Row& row);
  std::vector<JointError> joint_errors() const;
  // Over the frames that were read.
  double mean(double Row::*value) const;
  int lost_frames() const;
  // The reason of the most frames in which the body was not found; numbers count as equal.
  std::string usual_reason() const;
  std::string times() const;

  const capsule_likelihood::Skeleton& skeleton_;
  std::vector<std::string> reference_;
  std::vector<Row> rows_;
  int unread_ = 0;
  struct {
    double reading = 0, drawing = 0;
  } seconds_;
};

}  // namespace triptych::capsule_demo
