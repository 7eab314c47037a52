// CPU collectives: parallel loops over the chunks of a range. The calling thread combines their results in
// the order of the chunks, so that the bits depend on the chunks and not on the threads. See
// core/parallel.hpp for the threads and for exceptions.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/reduction/monoid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triptych::reduction {

// The value of a chunk; a struct, since std::vector<bool> has no addressable elements.
template <class Value>
struct Slot {
  Value value;
};

// The number of chunks of a range.
constexpr std::int64_t chunk_count(std::int64_t count, std::int64_t chunk) {
  return count / chunk + (count % chunk != 0);
}

namespace detail {
inline std::int64_t checked_chunk_count(std::int64_t count, std::int64_t chunk) {
  require(count >= 0, "cannot loop over ", count, " elements");
  require(chunk >= 1, "cannot divide a loop into chunks of ", chunk, " elements");
  return chunk_count(count, chunk);
}
}  // namespace detail

// Combines the values in sequence: ((identity, 0), 1), ...
template <class M>
typename M::Value combine_in_order(std::span<const Slot<typename M::Value>> slots, M monoid) {
  typename M::Value all = monoid.identity();
  for (const auto& slot : slots) all = monoid(all, slot.value);
  return all;
}

// Combines at least one value by recursive halves: the error of a sum grows with the logarithm of their
// number.
template <class M>
typename M::Value combine_pairwise(std::span<const Slot<typename M::Value>> slots, M monoid) {
  if (slots.size() == 1) return slots[0].value;
  const std::size_t half = slots.size() / 2;
  return monoid(combine_pairwise(slots.first(half), monoid), combine_pairwise(slots.subspan(half), monoid));
}

// Calls body(part, begin, end) for each chunk of [0, count) on `threads` threads, each chunk with its own
// part; then fold(part) for each part in the order of the chunks, on the calling thread. Allocates nothing.
// Small parts that are written often should fill a cache line. InvalidArgument when there are fewer parts
// than chunks, count < 0 or chunk < 1.
template <class Part, class Body, class Fold>
void fold_chunks(std::span<Part> parts, std::int64_t count, std::int64_t chunk, int threads, const Body& body,
                 const Fold& fold) {
  const auto chunks = static_cast<std::size_t>(detail::checked_chunk_count(count, chunk));
  require(parts.size() >= chunks, chunks, " chunks need ", chunks, " parts, not ", parts.size());
  parallel_chunks(count, chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t i) {
    body(parts[static_cast<std::size_t>(i)], begin, end);
  });
  for (Part& part : parts.first(chunks)) fold(part);
}

// The same for values: combines body(begin, end) of all chunks in their order. Allocates one slot per chunk.
template <class M, class Body>
typename M::Value reduce_chunks(std::int64_t count, std::int64_t chunk, int threads, M monoid,
                                const Body& body) {
  using Part = Slot<typename M::Value>;
  std::vector<Part> parts(static_cast<std::size_t>(detail::checked_chunk_count(count, chunk)));
  typename M::Value all = monoid.identity();
  fold_chunks(
      std::span<Part>(parts), count, chunk, threads,
      [&](Part& part, std::int64_t begin, std::int64_t end) { part.value = body(begin, end); },
      [&](const Part& part) { all = monoid(all, part.value); });
  return all;
}

// Calls body(first, last) for contiguous parts of [0, count), one part per thread: for loops whose results
// depend on indices alone. No part is empty. InvalidArgument when count < 0.
template <class F>
void split_among_threads(std::int64_t count, int threads, F&& body) {
  require(count >= 0, "cannot loop over ", count, " elements");
  if (count == 0) return;
  const std::int64_t workers = std::clamp<std::int64_t>(threads > 0 ? threads : default_threads(), 1, count);
  parallel_chunks(workers, 1, static_cast<int>(workers), [&](std::int64_t part, std::int64_t, std::int64_t) {
    const std::int64_t share = count / workers, longer = count % workers;
    const std::int64_t first = part * share + std::min(part, longer);
    body(first, first + share + (part < longer ? 1 : 0));
  });
}

}  // namespace triptych::reduction
