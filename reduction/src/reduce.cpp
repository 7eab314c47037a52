// Argument checks of the CUDA reductions.
#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/automatic.hpp>
#include <triptych/reduction/detail/shape.hpp>
#include <triptych/reduction/reduce.hpp>

#include <algorithm>
#include <string>

namespace triptych::reduction {

namespace detail {

void check_reduce(std::int64_t n, const void* result, const Options& options, bool exact) {
  constexpr std::int64_t max_elements = INT64_MAX / 16;  // kernels count bytes and stride past the end
  if (n < 0) throw InvalidArgument("reduction: the number of elements is negative: " + std::to_string(n));
  require(n <= max_elements, "reduction: the number of elements is above ", max_elements, ": ", n);
  if (result == nullptr) throw InvalidArgument("reduction: the pointer to the result is null");
  if (options.max_blocks < 0)
    throw InvalidArgument(
        "reduction: max_blocks is negative: use 0 for no limit, or the size of the largest grid");
  require(options.determinism >= Determinism::not_guaranteed && options.determinism <= Determinism::exact,
          "reduction: there is no level of determinism number ", static_cast<int>(options.determinism));
  const Determinism level = promised(options.strategy, exact);
  if (level < options.determinism)
    throw InvalidArgument("reduction: the strategy " + std::string(to_string(options.strategy)) +
                          " has the determinism " + std::string(to_string(level)) +
                          " for this operation, not " + std::string(to_string(options.determinism)) +
                          ": use single_pass, or a weaker level");
}

void check_exact_sum(std::int64_t n, const void* result, const Options& options) {
  require(options.strategy == Strategy::automatic,
          "reduction: the determinism exact of a sum of floats needs the strategy automatic, not ",
          to_string(options.strategy));
  check_reduce(n, result, {Strategy::automatic, Determinism::gpu_to_gpu, options.max_blocks}, false);
}

}  // namespace detail

std::size_t reduce_workspace_bytes(std::int64_t count) {
  // The trees have the most partial values. The temporary storage of CUB is smaller than library_scratch on
  // every device that CUB supports.
  require(count >= 0, "cannot reduce ", count, " elements");
  constexpr std::size_t accumulator = 24;
  constexpr std::size_t library_scratch = std::size_t{1} << 20;
  return std::max(library_scratch, accumulator * static_cast<std::size_t>(detail::ladder_blocks(
                                                     count, 256, detail::max_partials)));
}

}  // namespace triptych::reduction
