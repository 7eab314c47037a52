// TuningCache: any file is a cache, with or without choices; it can be changed, saved and read again.
#include <triptych/reduction/autotune.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  using namespace triptych::reduction;
  const auto file = fuzz::file_of(data, size, "tuning.json");
  TuningCache cache(file);  // does not throw for any content
  if (cache.size() > 0 && !cache.note().empty()) std::abort();
  const auto candidates = candidate_row_plans(64, 65536, {});
  const RowPlan plan =
      tune_rows(cache, "GPU", 64, 65536, candidates, [](const RowPlan& p) { return threads_per_row(p); });
  if (size % 16 != 0) return 0;  // saving waits for the disk
  cache.save();
  const TuningCache again(file);
  if (again.size() < cache.size() || again.find("GPU", "rows 64x65536") != to_string(plan)) std::abort();
  return 0;
}
