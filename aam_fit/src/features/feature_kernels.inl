// The kernels of one instruction set, included once for each (simd/for_each_set.hpp). The last pack of a row
// is moved back to end with the row; rows shorter than a pack are done pixel by pixel.

using Floats = simd::Pack<float, Set>;
constexpr int lanes = Floats::lanes, packs = lanes == 1 ? 1 : 32 / lanes > 8 ? 8 : 32 / lanes;

// `count` packs from x on, their sums in registers.
template <int count>
TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE void blend_packs(const float* centre, const float* const* before,
                                                           const float* const* after, const float* weights,
                                                           std::int64_t radius, float* out, std::int64_t x) {
  Floats sums[count];
  const Floats first = Floats::all(weights[0]);
  for (int v = 0; v < count; ++v) sums[v] = first * Floats::load(centre + x + v * lanes);
  for (std::int64_t k = 1; k <= radius; ++k) {
    const Floats w = Floats::all(weights[k]);
    const float *a = before[k] + x, *b = after[k] + x;
    for (int v = 0; v < count; ++v)
      sums[v] = multiply_add(w, Floats::load(a + v * lanes) + Floats::load(b + v * lanes), sums[v]);
  }
  for (int v = 0; v < count; ++v) sums[v].store(out + x + v * lanes);
}

TRIPTYCH_SIMD_TARGET void blend(const float* centre, const float* const* before, const float* const* after,
                                const float* weights, std::int64_t radius, float* out, std::int64_t width) {
  std::int64_t x = 0;
  for (; x + packs * lanes <= width; x += packs * lanes)
    blend_packs<packs>(centre, before, after, weights, radius, out, x);
  for (; x + lanes <= width; x += lanes) blend_packs<1>(centre, before, after, weights, radius, out, x);
  if (x == width) return;
  if (width >= lanes) {
    blend_packs<1>(centre, before, after, weights, radius, out, width - lanes);
    return;
  }
  for (; x < width; ++x) {
    float sum = weights[0] * centre[x];
    for (std::int64_t k = 1; k <= radius; ++k) sum += weights[k] * (before[k][x] + after[k][x]);
    out[x] = sum;
  }
}

struct Gradient {
  Floats x, y, size;
};
TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE Gradient gradient_at(const FeatureRows& rows, std::int64_t x) {
  const Floats half = Floats::all(0.5f);
  Gradient g;
  g.x = half * (Floats::load(rows.row + x + 1) - Floats::load(rows.row + x - 1));
  g.y = half * (Floats::load(rows.below + x) - Floats::load(rows.above + x));
  g.size = sqrt(multiply_add(g.x, g.x, g.y * g.y));
  return g;
}

TRIPTYCH_SIMD_TARGET void sizes(const FeatureRows& rows, float* out) {
  const std::int64_t end = rows.width - 1;  // of the pixels that have both neighbours
  std::int64_t x = 1;
  for (; x + lanes <= end; x += lanes) gradient_at(rows, x).size.store(out + x);
  for (; x < end; ++x) put_size(rows, out, x);
  put_size(rows, out, 0);
  put_size(rows, out, end);
}

TRIPTYCH_SIMD_TARGET void channels(const FeatureRows& rows, const float* local_mean, int count,
                                   float* const* out) {
  const Floats one = Floats::all(1.0f), noise = Floats::all(gradient_noise), tiny = Floats::all(1e-9f);
  const std::int64_t end = rows.width - 1;
  std::int64_t x = 1;
  for (; x + lanes <= end; x += lanes) {
    const Gradient g = gradient_at(rows, x);
    const Floats divide = one / (g.size + Floats::load(local_mean + x) + noise);
    const Floats nx = g.x * divide, ny = g.y * divide;
    nx.store(out[0] + x);
    ny.store(out[1] + x);
    if (count < 4) continue;
    const Floats length = one / multiply_add(g.size, divide, tiny);
    ((nx * nx - ny * ny) * length).store(out[2] + x);
    ((nx + nx) * ny * length).store(out[3] + x);
  }
  for (; x < end; ++x) put_channels(rows, local_mean, count, out, x);
  put_channels(rows, local_mean, count, out, 0);
  put_channels(rows, local_mean, count, out, end);
}

constexpr FeatureKernels kernels{&blend, &sizes, &channels};
