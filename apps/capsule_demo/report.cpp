#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/core/version.hpp>

#include <common/statistics.hpp>
#include <common/text.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "report.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;
using apps::text;

namespace {

constexpr double lost_mm = 150;

const char* name_of(InputKind kind) {
  constexpr const char* names[] = {"motion", "depth", "stereo", "cloud"};
  return names[static_cast<int>(kind)];
}

}  // namespace

void Report::add(int frame, const Estimate& estimate, const std::vector<double>& errors_mm,
                 double tracking_s) {
  rows_.push_back({frame, estimate.pose, estimate.joints, errors_mm, estimate.effective_samples, tracking_s,
                   estimate.score, estimate.confidence, estimate.points.used, estimate.found(), true,
                   reason(estimate)});
}

void Report::add_unread(int frame) {
  ++unread_;
  if (rows_.empty()) return;
  Row row = rows_.back();
  row.frame = frame;
  row.errors_mm.clear();
  row.effective_samples = 0;
  row.tracking_s = 0;
  row.confidence = 0;
  row.points = 0;
  row.found = row.read = false;
  row.reason = "the frame has no usable point";
  rows_.push_back(std::move(row));
}

std::optional<double> Report::mean_of(const Row& row) {
  double sum = 0;
  int count = 0;
  for (const double error : row.errors_mm) {
    if (!std::isfinite(error)) continue;
    sum += error;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> Report::error_mm() const {
  return rows_.empty() ? std::nullopt : mean_of(rows_.back());
}

std::optional<double> Report::mean_error_mm() const {
  std::vector<double> all;
  for (const Row& row : rows_) {
    for (const double error : row.errors_mm) {
      if (std::isfinite(error)) all.push_back(error);
    }
  }
  return all.empty() ? std::nullopt : std::optional(apps::mean(all));
}

double Report::tracking_rate() const {
  constexpr std::size_t most = 10;
  double seconds = 0;
  int count = 0;
  for (std::size_t i = rows_.size() - std::min(rows_.size(), most); i < rows_.size(); ++i) {
    seconds += rows_[i].tracking_s;
    count += int{rows_[i].read};
  }
  return seconds > 0 ? count / seconds : 0;
}

double Report::mean(double Row::*value) const {
  std::vector<double> all;
  for (const Row& row : rows_) {
    if (row.read) all.push_back(row.*value);
  }
  return apps::mean(all);
}

int Report::lost_frames() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.read && !row.found; }));
}

std::vector<Report::JointError> Report::joint_errors() const {
  std::vector<JointError> all;
  for (std::size_t j = 0; j < reference_.size(); ++j) {
    JointError joint;
    joint.name = reference_[j];
    int run = 0;
    for (const Row& row : rows_) {
      if (row.errors_mm.empty() || !std::isfinite(row.errors_mm[j])) continue;
      joint.mean_mm += row.errors_mm[j];
      joint.largest_mm = std::max(joint.largest_mm, row.errors_mm[j]);
      ++joint.frames;
      run = row.errors_mm[j] > lost_mm ? run + 1 : 0;
      joint.beyond = std::max(joint.beyond, run);
    }
    if (joint.frames == 0) continue;
    joint.mean_mm /= joint.frames;
    all.push_back(std::move(joint));
  }
  return all;
}

std::string Report::poses_rows(int first) const {
  std::string all;
  for (const Row& row : std::span(rows_).subspan(static_cast<std::size_t>(first))) {
    for (std::size_t j = 0; j < row.joints.size(); ++j) {
      const Vec3& p = row.joints[j];
      all += std::to_string(row.frame) + "," + skeleton_.joints()[j].name +
             (row.found ? text(",%.6f,%.6f,%.6f\n", double{p.x}, double{p.y}, double{p.z}) : ",,,\n");
    }
  }
  return all;
}

std::string Report::frames_rows(int first) const {
  std::string all;
  for (const Row& row : std::span(rows_).subspan(static_cast<std::size_t>(first))) {
    all += std::to_string(row.frame) + ",";
    if (const auto error = mean_of(row)) {
      std::size_t worst = 0;
      for (std::size_t j = 1; j < row.errors_mm.size(); ++j) {
        if (!(row.errors_mm[j] <= row.errors_mm[worst]) && std::isfinite(row.errors_mm[j])) worst = j;
      }
      all += text("%.3f,%.3f,", *error, row.errors_mm[worst]) + reference_[worst];
    } else {
      all += ",,";
    }
    all += text(",%.2f,%lld,%.3f,%d,%.4f,", row.effective_samples, static_cast<long long>(row.points),
                1e3 * row.tracking_s, int{row.found}, row.confidence);
    all += row.reason.empty() ? "\n" : "\"" + row.reason + "\"\n";
  }
  return all;
}

std::optional<std::string> Report::poses_bvh(double frames_per_second) const {
  Motion motion{.pose_size = skeleton_.pose_size(), .frame_time_s = 1 / frames_per_second};
  auto at = std::ranges::find_if(rows_, &Row::found);
  if (at == rows_.end()) return {};
  const Row* last = &*at;
  for (const Row& row : rows_) {
    if (row.found) last = &row;
    motion.push_back(last->pose);
  }
  return to_text(to_bvh(skeleton_, motion));
}

std::string Report::usual_reason() const {
  std::map<std::string, std::pair<int, std::string>> counts;
  for (const Row& row : rows_) {
    if (row.found) continue;
    std::string words = row.reason;
    std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
    auto& [count, example] = counts[words];
    if (count++ == 0) example = row.reason;
  }
  const auto best =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second.first; });
  return best == counts.end() ? "" : best->second.second;
}

std::string Report::advice() const {
  const auto missing = std::ranges::count_if(rows_, [](const Row& row) { return !row.found; });
  if (2 * missing <= frames()) return {};
  return text("the body was not found in %d of %d frames: ", static_cast<int>(missing), frames()) +
         usual_reason();
}

Json Report::json(const Options& options, const About& about) const {
  const double tracking_s = mean(&Row::tracking_s);
  Json json{{"program", program_name},
            {"version", version()},
            {"kind", name_of(options.input)},
            {"input", about.input},
            {"body", about.body},
            {"start", about.start},
            {"device", about.device},
            {"joint_count", skeleton_.joint_count()},
            {"capsule_count", skeleton_.capsule_count()},
            {"samples", options.samples},
            {"layers", options.layers},
            {"seed", options.seed},
            {"frames", frames()},
            {"unread", unread_},
            {"complete", about.complete},
            {"input_frames_per_second", about.frames_per_second},
            {"search_ms", 1e3 * about.search_s},
            {"effective_samples", mean(&Row::effective_samples)},
            {"score", mean(&Row::score)},
            {"confidence", mean(&Row::confidence)},
            {"found_frames", std::ranges::count_if(rows_, &Row::found)},
            {"lost_frames", lost_frames()},
            {"reason", usual_reason()},
            {"tracking_ms", 1e3 * tracking_s},
            {"reading_ms", 1e3 * seconds_.reading / std::max(1, frames())},
            {"drawing_ms", 1e3 * seconds_.drawing / std::max(1, frames())},
            {"frames_per_second", tracking_s > 0 ? 1 / tracking_s : 0}};
  if (about.search_confidence) json["search_confidence"] = *about.search_confidence;
  double points = 0;
  for (const Row& row : rows_) points += static_cast<double>(row.points);
  json["points"] = std::lround(points / std::max(1, frames() - unread_));
  const auto mean = mean_error_mm();
  if (!mean) return json;
  Json joints = Json::object();
  double largest = 0;
  int beyond = 0;
  for (const JointError& joint : joint_errors()) {
    joints[joint.name] = {{"mean", joint.mean_mm}, {"largest", joint.largest_mm}};
    largest = std::max(largest, joint.largest_mm);
    beyond = std::max(beyond, joint.beyond);
  }
  json["mean_error_mm"] = *mean;
  json["largest_error_mm"] = largest;
  json["longest_run_beyond_150_mm"] = beyond;
  json["joint_errors_mm"] = std::move(joints);
  return json;
}

std::string Report::table() const {
  const std::vector<JointError> joints = joint_errors();
  if (joints.empty()) return {};
  std::size_t width = 5;
  for (const JointError& joint : joints) width = std::max(width, joint.name.size());
  constexpr std::size_t columns = 2;
  const std::size_t rows = (joints.size() + columns - 1) / columns;
  const auto cell = [&](const std::string& name, const std::string& mean, const std::string& largest) {
    return "  " + name + std::string(width - name.size(), ' ') +
           text(" %9s %9s", mean.c_str(), largest.c_str());
  };
  std::string all;
  for (std::size_t c = 0; c < std::min(columns, joints.size()); ++c)
    all += (c > 0 ? "   " : "") + cell("joint", "mean mm", "worst mm");
  all += '\n';
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns && c * rows + r < joints.size(); ++c) {
      const JointError& joint = joints[c * rows + r];
      all += (c > 0 ? "   " : "") +
             cell(joint.name, text("%.1f", joint.mean_mm), text("%.1f", joint.largest_mm));
    }
    all += '\n';
  }
  return all;
}

std::string Report::sentence() const {
  std::string all = text("%d frame%s", frames(), frames() == 1 ? "" : "s");
  if (unread_ > 0) all += text(", %d of them unreadable", unread_);
  if (const auto mean = mean_error_mm()) {
    const auto joints = joint_errors();
    const auto by_mean = [](const JointError& a, const JointError& b) { return a.mean_mm < b.mean_mm; };
    const JointError& worst = *std::max_element(joints.begin(), joints.end(), by_mean);
    double largest = 0;
    for (const JointError& joint : joints) largest = std::max(largest, joint.largest_mm);
    all += text(", mean joint error %.1f mm (worst joint %s with %.1f mm, worst moment %.1f mm)", *mean,
                worst.name.c_str(), worst.mean_mm, largest);
  }
  if (const int lost = lost_frames(); lost > 0) all += text(", body not found in %d", lost);
  all += text(", confidence %.2f", mean(&Row::confidence));
  return all + text(", %.0f effective samples", mean(&Row::effective_samples)) + "\n  " + times();
}

std::string Report::times() const {
  const double count = std::max(1, frames());
  const double filtering = mean(&Row::tracking_s), reading = seconds_.reading / count,
               drawing = seconds_.drawing / count;
  const char* const longest = filtering >= std::max(reading, drawing) ? "filtering"
                              : reading >= drawing                    ? "reading"
                                                                      : "drawing";
  return text(
             "per frame: reading %.3g ms, filtering %.3g ms, drawing %.3g ms (mostly %s); the filter alone: ",
             1e3 * reading, 1e3 * filtering, 1e3 * drawing, longest) +
         text("%.3g frames/s", filtering > 0 ? 1 / filtering : 0);
}

}  // namespace triptych::capsule_demo
