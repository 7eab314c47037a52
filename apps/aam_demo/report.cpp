#include <common/statistics.hpp>
#include <common/text.hpp>

#include <algorithm>

#include "report.hpp"

namespace triptych::aam_demo {

using apps::text;

void Report::add(const std::string& name, const Found& found, std::optional<double> error) {
  rows_.push_back({name, true, found.found, to_string(found.fit.status), found.fit.error,
                   found.fit.iterations, found.ms, error});
}

void Report::add_unread(const std::string& name) {
  rows_.push_back({name, false, false, "unreadable", 0, 0, 0, {}});
}

int Report::found() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.found; }));
}

std::vector<double> Report::sorted_ms() const {
  std::vector<double> all;
  all.reserve(rows_.size());
  for (const Row& row : rows_) {
    if (row.read) all.push_back(row.ms);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<double> Report::errors() const {
  std::vector<double> all;
  all.reserve(rows_.size());
  for (const Row& row : rows_) {
    if (row.error) all.push_back(*row.error);
  }
  return all;
}

std::string Report::csv() const {
  const bool with_errors = !errors().empty();
  std::string all = "frame,name,found,status,residual,iterations,ms";
  all += with_errors ? ",error\n" : "\n";
  int frame = 0;
  for (const Row& row : rows_) {
    all += std::to_string(frame++);
    all += ',';
    all += row.name;
    all += text(",%d,", int{row.found});
    all += row.status;
    all += text(",%.8g,%d,%.4f", row.residual, row.iterations, row.ms);
    if (with_errors) all += row.error ? text(",%.6f", *row.error) : ",";
    all += '\n';
  }
  return all;
}

Json Report::json() const {
  const std::vector<double> ms = sorted_ms(), error = errors();
  Json json{{"frames", frames()},
            {"found", found()},
            {"mean_ms", apps::mean(ms)},
            {"median_ms", apps::quantile(ms, 0.5)},
            {"worst_ms", apps::largest(ms)}};
  if (!error.empty()) {
    json["mean_error"] = apps::mean(error);
    json["worst_error"] = apps::largest(error);
  }
  return json;
}

std::string Report::sentence() const {
  std::string all = text("%d frame%s, face found in %d, %.2f ms a fit", frames(), frames() == 1 ? "" : "s",
                         found(), apps::quantile(sorted_ms(), 0.5));
  const std::vector<double> error = errors();
  if (!error.empty()) {
    all +=
        text(", error %.4f of the face on average and %.4f at most", apps::mean(error), apps::largest(error));
  }
  return all;
}

}  // namespace triptych::aam_demo
