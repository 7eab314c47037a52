#include <common/statistics.hpp>
#include <common/text.hpp>

#include <algorithm>
#include <map>
#include <numbers>

#include "report.hpp"

namespace triptych::aam_demo {

using apps::text;

namespace {

constexpr std::array pose_columns{"yaw_deg", "pitch_deg", "roll_deg", "x_m", "y_m", "z_m"};

std::optional<std::array<double, 12>> pose_values(const std::optional<aam_fit::HeadPose>& pose) {
  if (!pose) return {};
  constexpr double degrees = 180 / std::numbers::pi;
  std::array<double, 12> values{
      degrees * pose->yaw, degrees * pose->pitch, degrees * pose->roll, pose->x_m, pose->y_m, pose->z_m};
  for (std::size_t i = 0; i < pose_columns.size(); ++i)
    values[6 + i] = (i < 3 ? degrees : 1) * pose->deviation(static_cast<int>(i));
  return values;
}

}  // namespace

void Report::add(const std::string& name, const Found& found, std::optional<double> error) {
  rows_.push_back({name, true, found.found, found.status(), found.fit.error, found.fit.iterations,
                   found.fit_ms, found.search_ms, found.fit.score, error, found.fit.confidence, found.reason,
                   !found.fit.landmarks.empty(), pose_values(found.pose)});
}

void Report::add_more(const std::string& name, const Found& found) {
  add(name, found);
  rows_.back().more = true;
  rows_.back().search_ms = 0;  // counted with the first face
}

int Report::frames() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return !row.more; }));
}

void Report::add_unread(const std::string& name) {
  rows_.push_back(
      {name, false, false, "unreadable", 0, 0, 0, 0, 0, {}, 0, "the frame could not be read", false, {}});
}

int Report::found() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.found && !row.more; }));
}

std::vector<double> Report::sorted(double Row::*member, bool searched_only) const {
  std::vector<double> all;
  all.reserve(rows_.size());
  for (const Row& row : rows_) {
    if (row.read && (!searched_only || row.search_ms > 0)) all.push_back(row.*member);
  }
  std::sort(all.begin(), all.end());
  return all;
}

double Report::mean_total_ms() const {
  double total_ms = 0;
  int read = 0;
  for (const Row& row : rows_) {
    if (!row.read) continue;
    total_ms += row.fit_ms + row.search_ms;
    if (!row.more) ++read;
  }
  return read > 0 ? total_ms / read : 0;
}

std::vector<double> Report::errors() const {
  std::vector<double> all;
  all.reserve(rows_.size());
  for (const Row& row : rows_) {
    if (row.error) all.push_back(*row.error);
  }
  return all;
}

std::string Report::csv_header(bool with_errors) {
  std::string all = "frame,name,found,status,residual,iterations,ms,confidence,reason";
  if (with_errors) all += ",error";
  for (const char* suffix : {"", "_sd"}) {
    for (const char* column : pose_columns) all += std::string(",") + column + suffix;
  }
  return all + '\n';
}

std::string Report::csv_rows(int first, bool with_errors) const {
  std::string all;
  int frame = -1;
  for (int i = 0; i < rows(); ++i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    if (!row.more) ++frame;
    if (i < first) continue;
    all += std::to_string(frame);
    all += ',';
    all += row.name;
    all += text(",%d,", int{row.found});
    all += row.status;
    if (row.fitted)
      all += text(",%.8g,%d,%.4f,%.6f,", row.residual, row.iterations, row.fit_ms, row.confidence);
    else
      all += ",,,,,";
    if (!row.reason.empty()) {
      all += '"';
      all += row.reason;
      all += '"';
    }
    if (with_errors) all += row.error ? text(",%.6f", *row.error) : ",";
    for (std::size_t k = 0; k < 2 * pose_columns.size(); ++k)
      all += row.pose ? text(",%.6g", (*row.pose)[k]) : ",";
    all += '\n';
  }
  return all;
}

Json Report::json(bool complete) const {
  const std::vector<double> ms = sorted(&Row::fit_ms), search = sorted(&Row::search_ms, true);
  const std::vector<double> error = errors();
  Json json{{"frames", frames()},
            {"complete", complete},
            {"found", found()},
            {"faces", std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.found; })},
            {"mean_ms", apps::mean(ms)},
            {"median_ms", apps::quantile(ms, 0.5)},
            {"worst_ms", apps::largest(ms)},
            {"searches", search.size()},
            {"median_search_ms", search.empty() ? 0 : apps::quantile(search, 0.5)},
            {"mean_total_ms", mean_total_ms()},
            {"mean_score", apps::mean(sorted(&Row::score))},
            {"mean_confidence", apps::mean(sorted(&Row::confidence))},
            {"pose", pose_json()},
            {"reason", advice()}};
  if (!error.empty()) {
    json["mean_error"] = apps::mean(error);
    json["worst_error"] = apps::largest(error);
  }
  return json;
}

Json Report::pose_json() const {
  std::array<std::vector<double>, 2 * pose_columns.size()> columns;
  for (const Row& row : rows_) {
    for (std::size_t i = 0; row.pose && i < columns.size(); ++i) columns[i].push_back((*row.pose)[i]);
  }
  if (columns[0].empty()) return nullptr;
  Json json{{"frames", columns[0].size()}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::sort(columns[i].begin(), columns[i].end());
    json[std::string(pose_columns[i % 6]) + (i < 6 ? "" : "_sd")] = apps::quantile(columns[i], 0.5);
  }
  return json;
}

std::string Report::advice() const {
  if (rows_.empty() || 2 * found() > frames()) return {};
  std::map<std::string, int> counts;  // of the statuses
  for (const Row& row : rows_) {
    if (!row.found) ++counts[row.status];
  }
  const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
  const std::string most = std::max_element(counts.begin(), counts.end(), more)->first;
  const auto first = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const Row& row) { return !row.found && row.status == most; });
  return text("no face in %d of %d frames; in the first of them (%s): ", frames() - found(), frames(),
              first->name.c_str()) +
         first->reason;
}

std::string Report::sentence() const {
  const std::vector<double> search = sorted(&Row::search_ms, true);
  std::string all = text("%d frame%s, face found in %d, %.2f ms per fit", frames(), frames() == 1 ? "" : "s",
                         found(), apps::quantile(sorted(&Row::fit_ms), 0.5));
  if (!search.empty()) {
    all += text(", %.2f ms per search (%zu frame%s), %.2f ms per frame in all", apps::quantile(search, 0.5),
                search.size(), search.size() == 1 ? "" : "s", mean_total_ms());
  }
  if (rows() > frames()) all += text(", %d faces in all", found() + rows() - frames());
  const std::vector<double> error = errors();
  if (!error.empty()) {
    all +=
        text(", error %.4f of the face on average and %.4f at most", apps::mean(error), apps::largest(error));
  }
  return all;
}

}  // namespace triptych::aam_demo
