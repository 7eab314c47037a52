// What a run of fits has found, as text.
#pragma once

#include <triptych/core/json.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "follower.hpp"

namespace triptych::aam_demo {

class Report {
 public:
  void add(const std::string& name, const Found& found, std::optional<double> error = {});
  // One more face of the frame that was added last.
  void add_more(const std::string& name, const Found& found);
  void add_unread(const std::string& name);

  int frames() const;
  int rows() const { return static_cast<int>(rows_.size()); }  // frames, and more faces of one
  int found() const;                                           // frames with a face
  // frame,name,found,status,residual,iterations,ms (of the fit),confidence,reason; where it is known, error;
  // and the head's pose: yaw_deg,pitch_deg,roll_deg,x_m,y_m,z_m and the standard deviation of each
  // (yaw_deg_sd, ...). Frames without a fit or a pose have empty fields.
  static std::string csv_header(bool with_errors);
  // The lines of the rows from `first` on.
  std::string csv_rows(int first, bool with_errors) const;
  // complete: all frames of the input were seen.
  Json json(bool complete) const;
  std::string sentence() const;
  // What to do, when the face was not found in most frames; empty otherwise.
  std::string advice() const;

 private:
  struct Row {
    std::string name;
    bool read = false, found = false;
    std::string status;
    double residual = 0;
    int iterations = 0;
    double fit_ms = 0, search_ms = 0;  // search_ms is 0 when there was none
    double score = 0;
    std::optional<double> error;
    double confidence = 0;
    std::string reason;
    bool fitted = false;
    std::optional<std::array<double, 12>> pose;  // as in the file
    bool more = false;                           // of the same frame as the row before
  };
  std::vector<double> sorted(double Row::*member, bool searched_only = false) const;
  double mean_total_ms() const;
  std::vector<double> errors() const;
  // The median of each column of the pose; null without poses.
  Json pose_json() const;
  std::vector<Row> rows_;
};

}  // namespace triptych::aam_demo
