// Faults and figures of heap allocations: this header replaces operator new and operator delete of the whole
// program. Include it in exactly one source file of an executable.
//
//   const std::int64_t faults = for_every_allocation([] { load(path); });
#pragma once

#include <triptych/core/error.hpp>

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace triptych::test {

namespace detail {

inline std::atomic<std::int64_t> live_bytes{0}, peak_bytes{0};
// Allocations of this thread until the one that fails; negative: none fails.
inline thread_local std::int64_t until_failure = -1;
inline thread_local bool failed = false;
inline thread_local std::int64_t allocation_count = 0;

inline void* allocate(std::size_t size, std::size_t alignment) noexcept {
  ++allocation_count;
  if (until_failure >= 0 && until_failure-- == 0) {  // NOLINT(bugprone-inc-dec-in-conditions)
    failed = true;
    return nullptr;
  }
  if (size == 0) size = 1;
  void* const memory = alignment == 0
                           ? std::malloc(size)
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) return nullptr;
  const auto bytes = static_cast<std::int64_t>(malloc_usable_size(memory));
  const std::int64_t live = live_bytes.fetch_add(bytes) + bytes;
  std::int64_t peak = peak_bytes.load();
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

inline void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
  if (void* const memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

inline void release(void* memory) noexcept {
  if (memory != nullptr) live_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace detail

// The calling thread's allocations so far.
inline std::int64_t allocations() { return detail::allocation_count; }

// The most bytes that all threads together held at a time while body ran, beyond what they held before.
template <class Body>
std::int64_t peak_bytes_of(const Body& body) {
  const std::int64_t before = detail::live_bytes;
  detail::peak_bytes = before;
  body();
  return detail::peak_bytes - before;
}

// Runs body again and again; in run n (from 0 on) the n-th allocation of the calling thread fails, once. Ends
// with the first run that needs no more allocations. std::bad_alloc and Error may leave body; a run in which
// the failure was answered without an exception counts, too. check() runs after each run, without faults.
// Returns the number of faults.
template <class Body, class Check>
std::int64_t for_every_allocation(const Body& body, const Check& check) {
  for (std::int64_t n = 0;; ++n) {
    detail::failed = false;
    detail::until_failure = n;
    try {
      body();
    } catch (const std::bad_alloc&) {
    } catch (const Error&) {
    } catch (...) {
      detail::until_failure = -1;
      throw;
    }
    detail::until_failure = -1;
    check();
    if (!detail::failed) return n;
  }
}
template <class Body>
std::int64_t for_every_allocation(const Body& body) {
  return for_every_allocation(body, [] {});
}

}  // namespace triptych::test

// Not inlined: a compiler that looks into only one of a pair takes them for mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return triptych::test::detail::allocate_or_throw(size);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return triptych::test::detail::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return triptych::test::detail::allocate(size, 0);
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
  return triptych::test::detail::allocate_or_throw(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { triptych::test::detail::release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  triptych::test::detail::release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  triptych::test::detail::release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  triptych::test::detail::release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  triptych::test::detail::release(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { triptych::test::detail::release(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  triptych::test::detail::release(memory);
}
