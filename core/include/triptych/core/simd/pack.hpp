// Packs of every instruction set of this build. A kernel is written once over Pack<T, Set> and compiled for
// each Set by for_each_set.hpp; every set gives the same bits unless stated otherwise below.
//
// Pack<float, Set>         load, store, all(value), + - * /, comparisons > >= <= != that give a Mask<Set>
//   fma(a, b, c)             a b + c, rounded once
//   multiply_add(a, b, c)    the same, except that Plain rounds twice where the machine has no fast fma
//   sqrt, abs, copysign      as in <cmath>
//   min_number(kept, x)      the smaller; kept, which must not be NaN, when x is NaN; for zeros either
//   max_number(kept, x)      the greater, likewise
//   select(mask, yes, no)
//   first_lanes(x, count)    lanes from count on become 0; count may exceed the lanes or be negative
//   truncate(x)              Pack<int32_t>; x within its range
//   load_halves(p)           IEEE halves as floats; not for NaN or infinity
//   load_pairs(p, at, left, right)    lane l: p[at[l]] and p[at[l] + 1]
//   add_to(sums, x)          adds lane l to the double sums[l]
// Mask<Set>                & |, any, bits (bit l: lane l)
//   count_clear(mask, n)     the number of false lanes among the first n; n may exceed the lanes or be
//   negative
// Pack<int32_t, Set>       load, store, all, + and * modulo 2^32, min, max, >> by a pack (>= 0, zeros shifted
//                          in), first_lanes, to_float
// Pack<T, Baseline>        also for every number type T of 4 or 8 bytes: see pack_baseline.hpp
#pragma once

#include <triptych/core/simd/pack_avx2.hpp>
#include <triptych/core/simd/pack_avx512.hpp>
#include <triptych/core/simd/pack_neon.hpp>
#include <triptych/core/simd/pack_plain.hpp>
