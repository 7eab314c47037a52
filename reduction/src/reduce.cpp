// What the CUDA reductions check and choose before anything is launched.
#include "automatic.hpp"

#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/shape.hpp>
#include <triptych/reduction/reduce.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>

namespace triptych::reduction {

namespace {

constexpr std::size_t most_devices = 64;
constexpr std::size_t size_classes = 64;

// Strategy + 1 of every device and size class that was tuned, 0 where none was.
std::array<std::atomic<int>, most_devices * size_classes> tuned_choices{};

std::atomic<int>& tuned_choice(int device, std::int64_t bytes) {
  const auto size_class = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  return tuned_choices[static_cast<std::size_t>(device) % most_devices * size_classes +
                       size_class % size_classes];
}

}  // namespace

void set_automatic(int device, std::int64_t bytes, Strategy strategy) {
  tuned_choice(device, bytes).store(static_cast<int>(strategy) + 1, std::memory_order_relaxed);
}

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

Strategy resolve(const Options& options, std::int64_t bytes) {
  if (options.strategy != Strategy::automatic) return options.strategy;
  if (options.determinism == Determinism::gpu_to_gpu) return Strategy::single_pass;
  const int tuned = tuned_choice(current_device(), bytes).load(std::memory_order_relaxed);
  return tuned == 0 ? Strategy::single_pass : static_cast<Strategy>(tuned - 1);
}

}  // namespace detail

std::size_t reduce_workspace_bytes(std::int64_t count) {
  // The trees leave the most partials; CUB's temporary storage is smaller than this on every device it
  // supports.
  constexpr std::size_t accumulator = 24;
  constexpr std::size_t library_scratch = std::size_t{1} << 20;
  return std::max(library_scratch, accumulator * static_cast<std::size_t>(detail::ladder_blocks(
                                                     count, 256, detail::most_partials)));
}

}  // namespace triptych::reduction
