#include <triptych/core/version.hpp>

#include <common/statistics.hpp>
#include <common/text.hpp>

#include <algorithm>
#include <cmath>

#include "report.hpp"

namespace triptych::skin_demo {

using apps::largest;
using apps::mean;
using apps::quantile;
using apps::text;

void Report::add(const skin_tracker::TrackedHead& head, std::optional<double> error_px) {
  rows_.push_back(
      {head.x_px, head.y_px, head.area, head.distance_m, head.latency_us, head.confidence, reason(head)});
  if (!head.found()) ++not_found_[to_string(head.status)];
  if (error_px && head.found()) errors_.push_back(*error_px);
}

void Report::add_unread() {
  rows_.emplace_back().reason = "the frame could not be read or has another size";
  ++unread_;
}

int Report::found() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.found(); }));
}

std::vector<double> Report::latencies() const {
  std::vector<double> all;
  for (const Row& row : rows_) {
    if (row.latency_us > 0) all.push_back(row.latency_us);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string Report::advice(const Options& options) const {
  if (2 * found() >= frames() || not_found_.empty()) return "";
  const auto most = std::max_element(not_found_.begin(), not_found_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const char* const what_to_do =
      options.calibrate ? "check that --calibrate is the box of the face alone, and use --gate"
      : options.gate    ? "mark the face in the first frame: --calibrate X,Y,W,H --gate"
                        : "mark the face in the first frame: --calibrate X,Y,W,H --gate, or --start X,Y,W,H";
  return text("found in %d of %d frames only, most often ", found(), frames()) + most->first + "; " +
         what_to_do;
}

std::string Report::csv_rows(int first) const {
  std::string all;
  for (int frame = first; frame < frames(); ++frame) {
    const Row& row = rows_[static_cast<std::size_t>(frame)];
    if (row.found()) {
      all += text("%d,%.4f,%.4f,%.8f,1,%.5f,%.2f,%.4f,\n", frame, row.x_px, row.y_px, row.area,
                  row.distance_m, row.latency_us, row.confidence);
    } else {
      all += text("%d,,,,0,,%.2f,%.4f,%s\n", frame, row.latency_us, row.confidence, row.reason.c_str());
    }
  }
  return all;
}

Json Report::json(const Options& options, const SkinModel& model, const std::string& device, int width,
                  int height, const StageTimes& stages, bool complete) const {
  const std::vector<double> us = latencies();
  Json json{{"program", "skin_demo"},
            {"version", version()},
            {"input", options.input},
            {"width", width},
            {"height", height},
            {"device", device},
            {"gate", options.gate},
            {"smooth", options.smooth},
            {"frames", frames()},
            {"complete", complete},
            {"found", found()},
            {"unread", unread_},
            {"min_confidence", options.min_confidence},
            {"not_found", not_found_},
            {"latency_us",
             {{"mean", mean(us)},
              {"median", quantile(us, 0.5)},
              {"p90", quantile(us, 0.9)},
              {"p99", quantile(us, 0.99)},
              {"worst", largest(us)}}}};
  std::vector<double> confidences;
  for (const Row& row : rows_) confidences.push_back(row.confidence);
  std::sort(confidences.begin(), confidences.end());
  json["confidence"] = {{"mean", mean(confidences)}, {"median", quantile(confidences, 0.5)}};
  Json& per_frame = json["ms_per_frame"];
  for (const Stage stage : {Stage::reading, Stage::tracking, Stage::drawing, Stage::encoding})
    per_frame[std::string(name_of(stage))] = stages.ms_per_frame(stage);
  Json skin{{"origin", model.origin}, {"classifier", std::string(name_of(model.classifier))}};
  if (const auto* filter = std::get_if<skin_tracker::LinearFilter>(&model.classifier)) {
    skin["filter"] = {filter->r, filter->g, filter->b, filter->d};
  }
  if (model.calibration) {
    skin["face_weight"] = model.calibration->face_weight;
    skin["background_weight"] = model.calibration->background_weight;
    skin["reference_area"] = model.calibration->area;
  }
  json["skin"] = std::move(skin);
  if (!options.variant.empty()) json["variant"] = options.variant;
  if (!errors_.empty()) json["error_px"] = {{"mean", mean(errors_)}, {"largest", largest(errors_)}};
  return json;
}

std::string Report::sentence() const {
  const std::vector<double> us = latencies();
  std::string all = text("%d frame%s, head found in %d, mean latency %.1f us", frames(),
                         frames() == 1 ? "" : "s", found(), mean(us));
  if (unread_ > 0) all += text(", %d unreadable", unread_);
  if (!errors_.empty())
    all += text(", error %.3f px on average and %.3f px at most", mean(errors_), largest(errors_));
  return all;
}

}  // namespace triptych::skin_demo
