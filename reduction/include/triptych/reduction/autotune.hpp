// Choices found by measuring, and a small file that remembers them per device and shape.
#pragma once

#include <triptych/reduction/rows.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace triptych::reduction {

// key -> choice, kept in a JSON file. A file that is missing, corrupt, of another program or another version
// is taken as empty, with the reason in note(); it is replaced at the next save, which is atomic. Entries of
// other devices are kept.
class TuningCache {
 public:
  TuningCache() = default;  // remembers nothing beyond its own life
  explicit TuningCache(std::filesystem::path file);

  std::optional<std::string> find(const std::string& device, const std::string& key) const;
  void remember(const std::string& device, const std::string& key, const std::string& choice);
  void save() const;  // nothing without a file; Error when the file cannot be written

  const std::string& note() const { return note_; }
  std::size_t size() const;

  // $TRIPTYCH_TUNING_CACHE, else triptych/tuning.json in $XDG_CACHE_HOME or ~/.cache.
  static std::filesystem::path default_file();

 private:
  std::filesystem::path file_;
  std::string note_;
  using Choices = std::map<std::string, std::map<std::string, std::string>>;  // device -> key -> choice
  Choices choices_;                                                           // all that is known
  Choices remembered_;  // what was found here, and wins over the file at a save
};

// Picks the fastest of `candidates` by `measure` (microseconds; a throw disqualifies), unless the cache
// knows.
RowPlan tune_rows(TuningCache& cache, const std::string& device, std::int64_t rows, std::int64_t cols,
                  const std::vector<RowPlan>& candidates,
                  const std::function<double(const RowPlan&)>& measure);

// The same for y = A x on the current CUDA device, timing replays of a captured graph over the given matrix
// (its contents are read, y is overwritten). Synchronises.
RowPlan tune_multiply_cuda(TuningCache& cache, DeviceMatrixView<const float> a, DeviceSpan<const float> x,
                           DeviceSpan<float> y, Workspace& workspace, StreamRef stream);

// The same for a strategy of sum_cuda: what Strategy::automatic then stands for on this device for ranges of
// that size class (as many bits in the number of bytes), unless gpu_to_gpu is asked for; in this process and,
// through the cache and another call, in later ones.
Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const float> values, Workspace& workspace,
                       StreamRef stream);

}  // namespace triptych::reduction
