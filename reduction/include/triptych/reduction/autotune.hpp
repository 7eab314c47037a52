// Choices found by measuring, and a small file that remembers them per device, operation and size.
//
// scripts/bench --tune fills the default file. It is read once a process, when Strategy::automatic or another
// automatic choice is needed first, and then decides for ready-made sums, for automatic_row_plan() and for
// the zeros of capsule_likelihood's EvaluateOptions. TRIPTYCH_TUNING=off in the environment leaves it unread.
#pragma once

#include <triptych/reduction/reduce.hpp>
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

// The choices in default_file(); none when there is no such file, when it cannot be used, or when the
// environment says TRIPTYCH_TUNING=off. Read at the first call; what is saved later counts for the next
// process.
const TuningCache& default_tuning() noexcept;

// Picks the fastest of `candidates` by `measure` (microseconds; a throw disqualifies), unless the cache
// knows.
RowPlan tune_rows(TuningCache& cache, const std::string& device, std::int64_t rows, std::int64_t cols,
                  const std::vector<RowPlan>& candidates,
                  const std::function<double(const RowPlan&)>& measure);

// The same for y = A x on the current CUDA device, timing replays of a captured graph over the given matrix
// (its contents are read, y is overwritten), unless the cache or default_tuning() knows. Synchronises.
RowPlan tune_multiply_cuda(TuningCache& cache, DeviceMatrixView<const float> a, DeviceSpan<const float> x,
                           DeviceSpan<float> y, Workspace& workspace, StreamRef stream);

// The plan for a shape on the current CUDA device: what default_tuning() knows, else plan_rows().
RowPlan automatic_row_plan(std::int64_t rows, std::int64_t cols);

// The same for a strategy of sum_cuda<A, T>: what Strategy::automatic then stands for on this device for that
// accumulator, that element and ranges of that size class (as many bits in the number of bytes); in this
// process and, when the cache is the default file, in later ones. single_pass unless another is more than 3 %
// faster. Only strategies with a fixed order of combining are measured, and a float sum that asks for
// gpu_to_gpu stays with single_pass. Synchronises.
template <class A, class T>
requires SumPair<T, A> Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const T> values,
                                              Workspace& workspace, StreamRef stream);
inline Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const float> values, Workspace& workspace,
                              StreamRef stream) {
  return tune_sum_cuda<float, float>(cache, values, workspace, stream);
}

}  // namespace triptych::reduction
