// Packs of every instruction set that this build has. A kernel is written once over Pack<T, Set> and compiled
// for each Set by for_each_set.hpp; every set gives the same bits unless the operation says otherwise.
//
// Pack<float, Set>         load, store, all(value), + - * /, comparisons > >= <= != that give a Mask<Set>
//   fma(a, b, c)             a b + c, rounded once
//   multiply_add(a, b, c)    the same, except that Plain rounds twice where the machine has no fast fma
//   sqrt, abs, copysign      as in <cmath>
//   min_number(kept, x)      the smaller; kept, which must be a number, when x is NaN; of zeros either
//   max_number(kept, x)      the greater, likewise
//   select(mask, yes, no)
//   first_lanes(x, count)    lanes from count on become 0; count may exceed the lanes or be negative
//   truncate(x)              Pack<int32_t>; x within its range
//   load_halves(p)           IEEE halves as floats; not for NaN or infinity
//   load_pairs(p, at, left, right)    lane l: p[at[l]] and p[at[l] + 1]
//   add_to(sums, x)          adds lane l to the double sums[l]
// Mask<Set>                & |, any, bits (bit l: lane l)
//   count_clear(mask, n)     how many of the first n lanes are false; n may exceed the lanes or be negative
// Pack<int32_t, Set>       load, store, all, + and * modulo 2^32, min, max, >> by a pack (>= 0, zeros shifted
//                          in), first_lanes, to_float
// Pack<T, Baseline>        in addition for every number T of 4 or 8 bytes: see pack_baseline.hpp
#pragma once

#include <triptych/core/simd/pack_avx2.hpp>
#include <triptych/core/simd/pack_avx512.hpp>
#include <triptych/core/simd/pack_neon.hpp>
#include <triptych/core/simd/pack_plain.hpp>
