// What the threads of a CPU combine: parallel loops over the chunks of a range whose results are combined by
// the calling thread in an order that the chunks alone fix. So the bits do not depend on the threads, as long
// as the chunks do not. For the threads see core/parallel.hpp; an exception of a body reaches the caller.
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

// A chunk's value; a struct, since a vector of bools would not give each an address of its own.
template <class Value>
struct Slot {
  Value value;
};

// How many chunks a range has.
constexpr std::int64_t chunk_count(std::int64_t count, std::int64_t chunk) {
  return count / chunk + (count % chunk != 0);
}

// Values combined one after the other: ((identity, 0), 1), ...
template <class M>
typename M::Value combine_in_order(std::span<const Slot<typename M::Value>> slots, M monoid) {
  typename M::Value all = monoid.identity();
  for (const auto& slot : slots) all = monoid(all, slot.value);
  return all;
}

// At least one value, combined by halves of halves: the error of a sum grows with the logarithm of their
// number.
template <class M>
typename M::Value combine_pairwise(std::span<const Slot<typename M::Value>> slots, M monoid) {
  if (slots.size() == 1) return slots[0].value;
  const std::size_t half = slots.size() / 2;
  return monoid(combine_pairwise(slots.first(half), monoid), combine_pairwise(slots.subspan(half), monoid));
}

// Calls body(part, begin, end) for each chunk of [0, count), on so many threads, with a part of its own, then
// fold(part) for each part in the order of the chunks, on the calling thread. Allocates nothing. Parts that
// are small and written often should fill a cache line. InvalidArgument when there are fewer parts than
// chunks.
template <class Part, class Body, class Fold>
void fold_chunks(std::span<Part> parts, std::int64_t count, std::int64_t chunk, int threads, const Body& body,
                 const Fold& fold) {
  require(chunk >= 1, "cannot cut a loop into chunks of ", chunk, " elements");
  const auto chunks = static_cast<std::size_t>(chunk_count(std::max<std::int64_t>(count, 0), chunk));
  require(parts.size() >= chunks, chunks, " chunks need as many parts, not ", parts.size());
  parallel_chunks(count, chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t i) {
    body(parts[static_cast<std::size_t>(i)], begin, end);
  });
  for (Part& part : parts.first(chunks)) fold(part);
}

// The same for values: body(begin, end) of all chunks, combined in their order. Allocates a slot a chunk.
template <class M, class Body>
typename M::Value reduce_chunks(std::int64_t count, std::int64_t chunk, int threads, M monoid,
                                const Body& body) {
  using Part = Slot<typename M::Value>;
  require(chunk >= 1, "cannot cut a loop into chunks of ", chunk, " elements");
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(std::max<std::int64_t>(count, 0), chunk)));
  typename M::Value all = monoid.identity();
  fold_chunks(
      std::span<Part>(parts), count, chunk, threads,
      [&](Part& part, std::int64_t begin, std::int64_t end) { part.value = body(begin, end); },
      [&](const Part& part) { all = monoid(all, part.value); });
  return all;
}

// Calls body(first, last) for neighbouring parts of [0, count), one part a thread: for loops whose results
// belong to indices.
template <class F>
void split_among_threads(std::int64_t count, int threads, F&& body) {
  const std::int64_t workers = std::clamp<std::int64_t>(threads > 0 ? threads : default_threads(), 1, count);
  parallel_chunks(workers, 1, static_cast<int>(workers), [&](std::int64_t part, std::int64_t, std::int64_t) {
    const std::int64_t share = count / workers, longer = count % workers;
    const std::int64_t first = part * share + std::min(part, longer);
    body(first, first + share + (part < longer ? 1 : 0));
  });
}

}  // namespace triptych::reduction
