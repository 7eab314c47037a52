// Entries as grids of sizes and series, one grid per group, type and mode; and the limits of the machine that
// they are compared with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load.hpp"

namespace triptych::report {

struct Grid {
  Kind kind = Kind::array;
  std::string group;
  std::string type;
  std::string mode;
  std::vector<Size> sizes;          // ascending
  std::vector<std::string> series;  // known ones first, in their order

  // Points into the results; null when it was not measured.
  const Entry* at(const Size& size, const std::string& name) const;
  bool has(const std::string& name) const;

  std::map<std::pair<Size, std::string>, const Entry*> cells;
};

// The results must outlive the grids. GPU sums first, float first, rotating first.
std::vector<Grid> make_grids(const Results& results);
const Grid* find_grid(const std::vector<Grid>& grids, std::string_view group, std::string_view type,
                      std::string_view mode);

struct Limits {
  std::optional<double> read_gpu;  // GB/s
  std::optional<double> read_cpu_1;
  std::optional<double> read_cpu_all;
  std::optional<double> launch_us;
  std::optional<double> copy_us;  // of a frame from pinned memory to the GPU
};
Limits find_limits(const Results& results);

std::optional<double> gigabytes_per_s(const Entry& entry);

// The share of the read bandwidth: as written by the bench, which measured the limit beside the entry, else
// by the limit in GB/s.
std::optional<double> share_of(const Entry& entry, std::optional<double> limit);

}  // namespace triptych::report
