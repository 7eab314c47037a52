// Tuning: choices by measurement, and a file that stores them per device, operation and size.
//
// scripts/bench --tune fills the default file. A process reads it once, at the first use of
// Strategy::automatic or another automatic choice. It then decides for the sums of reduce.hpp, for
// automatic_row_plan() and for the zeros of capsule_likelihood's EvaluateOptions. With TRIPTYCH_TUNING=off in
// the environment it is not read.
#pragma once

#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/rows.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace triptych::reduction {

// A map from keys to choices, stored in a JSON file. A file that is missing, corrupt, or of another program
// or version counts as empty, with the reason in note(); the next save, which is atomic, replaces it. Entries
// of other devices are kept.
class TuningCache {
 public:
  TuningCache() = default;  // in memory only
  explicit TuningCache(std::filesystem::path file);

  std::optional<std::string> find(const std::string& device, const std::string& key) const;
  void remember(const std::string& device, const std::string& key, const std::string& choice);
  void save() const;  // does nothing without a file; Error when the file cannot be written

  const std::string& note() const { return note_; }
  std::size_t size() const;

  // $TRIPTYCH_TUNING_CACHE, else triptych/tuning.json in $XDG_CACHE_HOME or ~/.cache.
  static std::filesystem::path default_file();

 private:
  std::filesystem::path file_;
  std::string note_;
  using Choices = std::map<std::string, std::map<std::string, std::string>>;  // device -> key -> choice
  Choices choices_;     // of the file and of this object
  Choices remembered_;  // of this object; they override the file at a save
};

// The choices in default_file(); empty when the file is missing or unusable, or with TRIPTYCH_TUNING=off.
// Read at the first call; choices that are saved later apply to later processes.
const TuningCache& default_tuning() noexcept;

// The fastest of `candidates` by `measure` (microseconds; an exception excludes the plan), unless the cache
// has the shape.
RowPlan tune_rows(TuningCache& cache, const std::string& device, std::int64_t rows, std::int64_t cols,
                  const std::vector<RowPlan>& candidates,
                  const std::function<double(const RowPlan&)>& measure);

// The same for y = A x on the current CUDA device, by the time of a captured graph over the given matrix
// (y is overwritten), unless the cache or default_tuning() has the shape. Synchronises.
RowPlan tune_multiply_cuda(TuningCache& cache, DeviceMatrixView<const float> a, DeviceSpan<const float> x,
                           DeviceSpan<float> y, Workspace& workspace, StreamRef stream);

// The plan for a shape on the current CUDA device: from default_tuning(), else from plan_rows().
RowPlan automatic_row_plan(std::int64_t rows, std::int64_t cols);

// The strategy that Strategy::automatic uses from now on for sum_cuda<A, T> on this device, for ranges of the
// same size class (the bit width of the number of bytes); in this process and, when the cache is the default
// file, in later ones. It is single_pass unless another is more than 3 % faster. Only strategies with a fixed
// order of combination are measured, and a float sum with gpu_to_gpu always uses single_pass. Synchronises.
template <class A, class T>
requires SumPair<T, A> Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const T> values,
                                              Workspace& workspace, StreamRef stream);
inline Strategy tune_sum_cuda(TuningCache& cache, DeviceSpan<const float> values, Workspace& workspace,
                              StreamRef stream) {
  return tune_sum_cuda<float, float>(cache, values, workspace, stream);
}

}  // namespace triptych::reduction
