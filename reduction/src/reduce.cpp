// What the CUDA reductions check before anything is launched.
#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/shape.hpp>
#include <triptych/reduction/reduce.hpp>

#include <algorithm>
#include <string>

namespace triptych::reduction {

namespace detail {

void check_reduce(std::int64_t n, const void* result, const Options& options, bool exact) {
  if (n < 0) throw InvalidArgument("reduction: the number of elements is negative: " + std::to_string(n));
  if (result == nullptr) throw InvalidArgument("reduction: no memory is given for the result");
  if (options.max_blocks < 0)
    throw InvalidArgument(
        "reduction: max_blocks is negative: give 0 for no limit, or the largest grid allowed");
  const Determinism kept = promised(options.strategy, exact);
  if (kept < options.determinism)
    throw InvalidArgument("reduction: the strategy " + std::string(to_string(options.strategy)) +
                          " promises " + std::string(to_string(kept)) + " for this operation, not " +
                          std::string(to_string(options.determinism)) + ": use single_pass, or ask for less");
}

}  // namespace detail

std::size_t reduce_workspace_bytes(std::int64_t count) {
  // The trees leave the most partials; CUB's temporary storage is smaller than this on every device it
  // supports.
  constexpr std::size_t accumulator = 24;
  constexpr std::size_t library_scratch = std::size_t{1} << 20;
  return std::max(library_scratch, accumulator * static_cast<std::size_t>(detail::ladder_blocks(
                                                     count, 256, detail::max_partials)));
}

}  // namespace triptych::reduction
