#include <algorithm>
#include <map>

#include "table.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

std::string or_dash(std::optional<double> value) { return value ? three_digits(*value) : "-"; }

std::string percent(std::optional<double> share) { return share ? fixed(*share * 100, 0) + " %" : "-"; }

std::string spread(const Entry& entry) {
  return entry.low_us ? three_digits(*entry.low_us) + " to " + three_digits(*entry.high_us) : "-";
}

// The cells of one size: the times, with the smallest bold.
std::vector<std::string> times(const Grid& grid, const Size& size) {
  double best = 0;
  for (const std::string& name : grid.series) {
    const Entry* entry = grid.at(size, name);
    if (entry && (best == 0 || entry->time_us < best)) best = entry->time_us;
  }
  std::vector<std::string> cells;
  for (const std::string& name : grid.series) {
    const Entry* entry = grid.at(size, name);
    std::string text = entry ? three_digits(entry->time_us) : "";
    if (entry && grid.series.size() > 1 && text == three_digits(best)) text.insert(0, "**").append("**");
    cells.push_back(std::move(text));
  }
  return cells;
}

}  // namespace

std::string table_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string table_header(const std::vector<std::string>& cells) {
  std::string line = "| --- |";
  for (std::size_t i = 1; i < cells.size(); ++i) line += " ---: |";
  return table_row(cells) + line + "\n";
}

std::string limits_table(const Results& results) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"limit/read/gpu", "read, GPU"},
      {"limit/read/gpu_cache", "read, the GPU's L2 cache"},
      {"limit/read/cpu_1", "read, one core"},
      {"limit/read/cpu_all", "read, all cores"},
      {"limit/launch/gpu", "an empty kernel in a graph, GPU"},
      {"limit/copy/gpu", "copy of a frame from pinned memory to the GPU"}};
  std::string rows;
  for (const Entry& entry : results.entries) {
    if (entry.name.kind != Kind::limit) continue;
    const auto known = std::find_if(words.begin(), words.end(),
                                    [&](const auto& word) { return word.first == entry.name.text; });
    const std::optional<double> rate = gigabytes_per_s(entry);
    const std::string what = known == words.end() ? escape_markdown(entry.name.text) : known->second;
    const std::string limit = rate ? rate_text(*rate) : three_digits(entry.time_us) + " us";
    rows += table_row({what, limit, three_digits(entry.time_us), spread(entry)});
  }
  if (rows.empty()) return "";
  return table_header({"limit", "measured", "time (us)", "10th to 90th percentile (us)"}) + rows + "\n";
}

std::string grid_table(const Grid& grid, const Limits& limits) {
  const bool bandwidth = grid.group == "sum" && grid.has("automatic");
  const bool cpu = grid.group == "sum_cpu";
  std::vector<std::string> head = {grid.kind == Kind::matrix ? "rows x columns" : "size"};
  for (const std::string& name : grid.series) head.push_back(escape_markdown(name));
  if (bandwidth) {
    head.emplace_back("automatic, GB/s");
    head.emplace_back("share of read");
  }
  if (cpu) head.emplace_back("fastest, GB/s");
  std::string table = table_header(head);
  for (const Size& size : grid.sizes) {
    std::vector<std::string> cells = times(grid, size);
    cells.insert(cells.begin(), to_string(size));
    if (bandwidth) {
      const Entry* entry = grid.at(size, "automatic");
      cells.push_back(entry ? or_dash(gigabytes_per_s(*entry)) : "");
      cells.push_back(entry ? percent(share_of(*entry, limits.read_gpu)) : "");
    }
    if (cpu) {
      std::optional<double> best;
      for (const std::string& name : grid.series) {
        const Entry* entry = grid.at(size, name);
        if (entry) best = std::max(best, gigabytes_per_s(*entry));
      }
      cells.push_back(or_dash(best));
    }
    table += table_row(cells);
  }
  return table + "\n";
}

std::string other_tables(const Results& results) {
  std::map<std::string, std::string> tables;
  for (const Entry& entry : results.entries) {
    const Name& name = entry.name;
    if (name.kind != Kind::other && name.kind != Kind::skin) continue;
    std::string& table = tables[name.group];
    if (table.empty()) {
      table = table_header({"name", "time (us)", "10th to 90th percentile (us)", "GB/s", "share of read"});
    }
    const bool nested = name.text.size() > name.group.size() + 1;
    const std::string rest = nested ? name.text.substr(name.group.size() + 1) : name.text;
    table += table_row({escape_markdown(rest), three_digits(entry.time_us), spread(entry),
                        or_dash(gigabytes_per_s(entry)), percent(entry.share)});
  }
  std::string text;
  for (const auto& [group, table] : tables) {
    text += "## " + (group.empty() ? std::string("without a group") : escape_markdown(group)) + "\n\n" +
            table + "\n";
  }
  return text;
}

std::string failure_list(const Results& results) {
  std::string list;
  for (const Failure& failure : results.failures) {
    list += "- " + escape_markdown(failure.name) + ": " + escape_markdown(failure.reason) + "\n";
  }
  return list.empty() ? list : list + "\n";
}

}  // namespace triptych::report
