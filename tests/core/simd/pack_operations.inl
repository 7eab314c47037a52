// Every operation over arrays of `padded` elements, for one instruction set: see pack_test.cpp.

using Floats = simd::Pack<float, Set>;
using Ints = simd::Pack<std::int32_t, Set>;

TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE Floats as_float(simd::Mask<Set> mask) {
  return select(mask, Floats::all(1), Floats::all(0));
}

TRIPTYCH_SIMD_TARGET inline void floats(FloatOperation operation, const Inputs& in, float* out) {
  for (int i = 0; i < padded; i += Floats::lanes) {
    const Floats a = Floats::load(in.a + i), b = Floats::load(in.b + i), c = Floats::load(in.c + i);
    const Floats number = Floats::load(in.number + i);
    const Ints k = Ints::load(in.k + i);
    const int count = in.count - i;
    Floats left = a, right = a;
    switch (operation) {
      case FloatOperation::all:
        Floats::all(in.a[0]).store(out + i);
        break;
      case FloatOperation::add:
        (a + b).store(out + i);
        break;
      case FloatOperation::subtract:
        (a - b).store(out + i);
        break;
      case FloatOperation::multiply:
        (a * b).store(out + i);
        break;
      case FloatOperation::divide:
        (a / b).store(out + i);
        break;
      case FloatOperation::fma:
        fma(a, b, c).store(out + i);
        break;
      case FloatOperation::sqrt:
        sqrt(a).store(out + i);
        break;
      case FloatOperation::abs:
        abs(a).store(out + i);
        break;
      case FloatOperation::copysign:
        copysign(a, b).store(out + i);
        break;
      case FloatOperation::min_number:
        min_number(number, a).store(out + i);
        break;
      case FloatOperation::max_number:
        max_number(number, a).store(out + i);
        break;
      case FloatOperation::above:
        as_float(a > b).store(out + i);
        break;
      case FloatOperation::at_least:
        as_float(a >= b).store(out + i);
        break;
      case FloatOperation::at_most:
        as_float(a <= b).store(out + i);
        break;
      case FloatOperation::differs:
        as_float(a != b).store(out + i);
        break;
      case FloatOperation::both:
        as_float((a > b) & (a > c)).store(out + i);
        break;
      case FloatOperation::either:
        as_float((a > b) | (a > c)).store(out + i);
        break;
      case FloatOperation::select:
        select(a > b, b, c).store(out + i);
        break;
      case FloatOperation::first_lanes:
        first_lanes(a, count).store(out + i);
        break;
      case FloatOperation::to_float:
        to_float(k).store(out + i);
        break;
      case FloatOperation::load_halves:
        Floats::load_halves(in.halves + i).store(out + i);
        break;
      case FloatOperation::load_left:
        load_pairs(in.a, min(max(k, Ints::all(0)), Ints::all(padded - 2)), left, right);
        left.store(out + i);
        break;
      case FloatOperation::load_right:
        load_pairs(in.a, min(max(k, Ints::all(0)), Ints::all(padded - 2)), left, right);
        right.store(out + i);
        break;
    }
  }
}

TRIPTYCH_SIMD_TARGET inline void ints(IntOperation operation, const Inputs& in, std::int32_t* out) {
  for (int i = 0; i < padded; i += Ints::lanes) {
    const Ints k = Ints::load(in.k + i), m = Ints::load(in.m + i);
    switch (operation) {
      case IntOperation::all:
        Ints::all(in.k[0]).store(out + i);
        break;
      case IntOperation::add:
        (k + m).store(out + i);
        break;
      case IntOperation::multiply:
        (k * m).store(out + i);
        break;
      case IntOperation::min:
        min(k, m).store(out + i);
        break;
      case IntOperation::max:
        max(k, m).store(out + i);
        break;
      case IntOperation::shift:
        (k >> Ints::load(in.shift + i)).store(out + i);
        break;
      case IntOperation::first_lanes:
        first_lanes(k, in.count - i).store(out + i);
        break;
      case IntOperation::truncate:
        truncate(Floats::load(in.small + i)).store(out + i);
        break;
    }
  }
}

// multiply_add(a, b, c) of every lane.
TRIPTYCH_SIMD_TARGET inline void multiply_adds(const Inputs& in, float* out) {
  for (int i = 0; i < padded; i += Floats::lanes)
    multiply_add(Floats::load(in.a + i), Floats::load(in.b + i), Floats::load(in.c + i)).store(out + i);
}

TRIPTYCH_SIMD_TARGET inline void add_to_doubles(const Inputs& in, double* sums) {
  for (int i = 0; i < padded; i += Floats::lanes) add_to(sums + i, Floats::load(in.a + i));
}

// Of a > b: the number of packs with any true lane, the number of false lanes among the first `count`, and
// all bits.
TRIPTYCH_SIMD_TARGET inline MaskResult masks(const Inputs& in) {
  MaskResult result;
  for (int i = 0; i < padded; i += Floats::lanes) {
    const auto mask = Floats::load(in.a + i) > Floats::load(in.b + i);
    const std::uint32_t in_pack = bits(mask);
    result.bits |= std::uint64_t{in_pack} << i;
    result.clear += count_clear(mask, in.count - i);
    result.any_is_bits = result.any_is_bits && any(mask) == (in_pack != 0);
  }
  return result;
}

constexpr PackOperations operations{&floats, &ints, &multiply_adds, &add_to_doubles, &masks};
