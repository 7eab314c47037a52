// What a run says about itself: the track as CSV, the summary as JSON and in a sentence.
#pragma once

#include <triptych/core/json.hpp>
#include <triptych/skin_tracker/tracker.hpp>

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
  // A frame that could not be read: the head stays where it was and counts as not found.
  void add_unread();

  int frames() const { return static_cast<int>(rows_.size()); }
  static constexpr const char* csv_header = "frame,x_px,y_px,area,found,distance,latency_us\n";
  // The lines of the frames from `first` on.
  std::string csv_rows(int first) const;
  // complete: all frames of the input were seen.
  Json json(const Options& options, const SkinModel& model, const std::string& device, int width, int height,
            const StageTimes& stages, bool complete) const;
  // "150 frames, head found in 150, ..." without a full stop.
  std::string sentence() const;

 private:
  struct Row {
    double x_px, y_px, area, distance_m, latency_us;
    bool found;
  };
  int found() const;
  std::vector<double> latencies() const;

  std::vector<Row> rows_;
  std::vector<double> errors_;
  int unread_ = 0;
};

}  // namespace triptych::skin_demo
