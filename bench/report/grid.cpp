#include <algorithm>
#include <set>
#include <tuple>

#include "grid.hpp"

namespace triptych::report {

namespace {

auto position(const Name& name) {
  const bool cpu = name.group == "sum_cpu";  // after everything of the GPU
  return std::tuple(cpu, name.kind, rank(array_groups(), name.group), name.group,
                    rank(known_types(), name.type), name.type, rank(known_modes(), name.mode), name.mode);
}

}  // namespace

const Entry* Grid::at(const Size& size, const std::string& name) const {
  const auto found = cells.find({size, name});
  return found == cells.end() ? nullptr : found->second;
}

bool Grid::has(const std::string& name) const {
  return std::find(series.begin(), series.end(), name) != series.end();
}

std::vector<Grid> make_grids(const Results& results) {
  std::map<decltype(position(Name())), Grid> grids;
  for (const Entry& entry : results.entries) {
    const Name& name = entry.name;
    if (name.kind != Kind::array && name.kind != Kind::matrix) continue;
    Grid& grid = grids[position(name)];
    grid.kind = name.kind;
    grid.group = name.group;
    grid.type = name.type;
    grid.mode = name.mode;
    grid.cells[{name.size, name.series}] = &entry;
  }
  std::vector<Grid> result;
  for (auto& [key, grid] : grids) {
    std::set<Size> sizes;
    std::set<std::pair<std::size_t, std::string>> series;
    for (const auto& [cell, entry] : grid.cells) {
      sizes.insert(cell.first);
      series.insert({rank(known_series(), cell.second), cell.second});
    }
    grid.sizes.assign(sizes.begin(), sizes.end());
    for (const auto& [order, name] : series) grid.series.push_back(name);
    result.push_back(std::move(grid));
  }
  return result;
}

const Grid* find_grid(const std::vector<Grid>& grids, std::string_view group, std::string_view type,
                      std::string_view mode) {
  for (const Grid& grid : grids) {
    if (grid.group == group && grid.type == type && grid.mode == mode) return &grid;
  }
  return nullptr;
}

Limits find_limits(const Results& results) {
  Limits limits;
  for (const Entry& entry : results.entries) {
    if (entry.name.text == "limit/read/gpu") limits.read_gpu = gigabytes_per_s(entry);
    if (entry.name.text == "limit/read/cpu_1") limits.read_cpu_1 = gigabytes_per_s(entry);
    if (entry.name.text == "limit/read/cpu_all") limits.read_cpu_all = gigabytes_per_s(entry);
    if (entry.name.text == "limit/launch/gpu") limits.launch_us = entry.time_us;
    if (entry.name.text == "limit/copy/gpu") limits.copy_us = entry.time_us;
  }
  return limits;
}

std::optional<double> gigabytes_per_s(const Entry& entry) {
  if (!entry.bytes) return std::nullopt;
  return *entry.bytes / entry.time_us / 1e3;
}

std::optional<double> share_of(const Entry& entry, std::optional<double> limit) {
  if (entry.share) return entry.share;
  const std::optional<double> rate = gigabytes_per_s(entry);
  if (!rate || !limit) return std::nullopt;
  return *rate / *limit;
}

}  // namespace triptych::report
