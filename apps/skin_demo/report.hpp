// What a run says about itself: the track as CSV, the summary as JSON and in a sentence.
#pragma once

#include <triptych/core/json.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "skin_model.hpp"
#include "stage_times.hpp"

namespace triptych::skin_demo {

class Report {
 public:
  // error_px: from the truth, where it is known.
  void add(const skin_tracker::TrackedHead& head, std::optional<double> error_px);
  // A frame that could not be read: the head counts as not found.
  void add_unread();

  int frames() const { return static_cast<int>(rows_.size()); }
  static constexpr const char* csv_header =
      "frame,x_px,y_px,area,found,distance,latency_us,confidence,reason\n";
  // The lines of the frames from `first` on; without positions where no head was found.
  std::string csv_rows(int first) const;
  // complete: all frames of the input were seen.
  Json json(const Options& options, const SkinModel& model, const std::string& device, int width, int height,
            const StageTimes& stages, bool complete) const;
  // "150 frames, head found in 150, ..." without a full stop.
  std::string sentence() const;
  // What to do when the head was not found in most frames, one line without a full stop; else empty.
  std::string advice(const Options& options) const;

 private:
  struct Row {
    double x_px = 0, y_px = 0, area = 0, distance_m = 0, latency_us = 0, confidence = 0;
    std::string reason;  // empty: found
    bool found() const { return reason.empty(); }
  };
  int found() const;
  std::vector<double> latencies() const;

  std::vector<Row> rows_;
  std::vector<double> errors_;
  std::map<std::string, int> not_found_;  // frames by status
  int unread_ = 0;
};

}  // namespace triptych::skin_demo
