// The kernels of one instruction set, included once for each (simd/for_each_set.hpp). The formulas are those
// of ray_capsule_math.hpp and cull_math.hpp, operation by operation.

using Floats = simd::Pack<float, Set>;

template <Surface surface, Loss loss>
TRIPTYCH_SIMD_TARGET std::uint64_t gain_of_sub_tile_as(const Rays::Data& rays, std::size_t first,
                                                       const PreparedCapsule* body,
                                                       std::span<const std::uint32_t> listed) {
  constexpr int lanes = Floats::lanes, packs = rays_per_sub_tile / lanes;
  const Floats zero = Floats::all(0), no_number = Floats::all(exact::no_number);
  Floats x[packs], y[packs], g[packs], h[packs], best[packs];
  for (int i = 0; i < packs; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i * lanes);
    x[i] = Floats::load(&rays.x[at]);
    y[i] = Floats::load(&rays.y[at]);
    g[i] = Floats::load(&rays.g[at]);
    h[i] = Floats::load(&rays.h[at]);
    best[i] = Floats::all(no_hit(surface));
  }
  for (const std::uint32_t k : listed) {
    const PreparedCapsule& p = body[k];
    if (is_near(p)) {
      alignas(64) float one_by_one[rays_per_sub_tile];
      for (int i = 0; i < packs; ++i) best[i].store(one_by_one + i * lanes);
      for (std::size_t i = 0; i < rays_per_sub_tile; ++i) {
        const Ray ray = rays.ray(static_cast<std::int64_t>(first + i));
        const float t = intersect_near(ray_direction(ray.x, ray.y), p);
        one_by_one[i] = better(surface, one_by_one[i], t, ray.g, ray.h);
      }
      for (int i = 0; i < packs; ++i) best[i] = Floats::load(one_by_one + i * lanes);
      continue;
    }
    const Floats cx = Floats::all(p.cx), cy = Floats::all(p.cy), cz = Floats::all(p.cz);
    const Floats mx = Floats::all(p.mx), my = Floats::all(p.my), mz = Floats::all(p.mz);
    const Floats ex = Floats::all(p.ex), ey = Floats::all(p.ey), ez = Floats::all(p.ez);
    for (int i = 0; i < packs; ++i) {
      const Floats s = fma(cx, x[i], fma(cy, y[i], cz));
      const Floats n = fma(mx, x[i], fma(my, y[i], mz));
      const Floats e = fma(ex, x[i], fma(ey, y[i], ez));
      const Floats e2 = e * e;
      const Floats q = fma(Floats::all(-p.k1), e2, fma(n, n, Floats::all(min_n2)));
      const auto crosses = q > zero;
      if (!any(crosses)) continue;
      const Floats below = fma(Floats::all(p.mr), n, sqrt(q));
      Floats t = Floats::all(p.kr) * (Floats::all(1) / below);
      t = select(crosses & (below != zero), t, no_number);
      const Floats beyond = fma(t, s, Floats::all(-p.middle));
      const auto past_end = abs(beyond) > Floats::all(p.half_length);
      if (any(past_end)) {
        const std::size_t at = first + static_cast<std::size_t>(i * lanes);
        const Floats yc = Floats::all(p.middle) + copysign(Floats::all(p.half_length), beyond);
        const Floats mu = Floats::all(p.mu);
        const Floats z = fma(yc, n, zero - mu * s);
        const Floats from =
            fma(zero - e2, fma(yc, yc, mu * mu), Floats::all(p.r2) * Floats::load(&rays.vv[at]));
        const Floats qc = fma(zero - z, z, from);
        const Floats along = fma(yc, s, mu * n);
        const Floats end = (along - sqrt(qc)) * Floats::load(&rays.inverse_vv[at]);
        t = select(past_end, select(qc > zero, end, no_number), t);
      }
      if constexpr (surface == Surface::closest) {
        best[i] = min_number(best[i], abs(fma(t, g[i], zero - h[i])));
      } else {
        best[i] = min_number(best[i], t);
      }
    }
  }
  alignas(64) float residual[rays_per_sub_tile];
  for (int i = 0; i < packs; ++i) {
    if constexpr (surface == Surface::first)
      best[i] = min_number(Floats::all(1), abs(fma(best[i], g[i], zero - h[i])));
    best[i].store(residual + i * lanes);
  }
  std::uint64_t sum = 0;
  if (rays.weighted) {
    for (std::size_t i = 0; i < rays_per_sub_tile; ++i)
      sum += weighted_gain(gain_of(loss, residual[i]), rays.weight[first + i]);
  } else {
    const Floats two = Floats::all(2);
    std::int32_t gains = 0;  // at most 32 x 2^22
    for (int i = 0; i < packs; ++i) {
      alignas(64) float level[lanes];
      (loss == Loss::squared ? fma(best[i], best[i], two) : best[i] + two).store(level);
      for (int lane = 0; lane < lanes; ++lane) gains += 0x40400000 - exact::bits_of(level[lane]);
    }
    sum = static_cast<std::uint64_t>(gains);
  }
  return sum;
}

TRIPTYCH_SIMD_TARGET inline std::uint64_t gain_of_sub_tile(const Rays::Data& rays, std::size_t first,
                                                           const PreparedCapsule* body,
                                                           std::span<const std::uint32_t> listed) {
  const bool closest = rays.sensor.surface == Surface::closest, squared = rays.sensor.loss == Loss::squared;
  if (closest)
    return squared ? gain_of_sub_tile_as<Surface::closest, Loss::squared>(rays, first, body, listed)
                   : gain_of_sub_tile_as<Surface::closest, Loss::absolute>(rays, first, body, listed);
  return squared ? gain_of_sub_tile_as<Surface::first, Loss::squared>(rays, first, body, listed)
                 : gain_of_sub_tile_as<Surface::first, Loss::absolute>(rays, first, body, listed);
}

TRIPTYCH_SIMD_TARGET inline std::uint32_t may_hit_32(const Bounds& tiles, std::size_t first,
                                                     const CullShape& shape) {
  constexpr std::uint32_t all_bits = (1u << Floats::lanes) - 1;
  const Floats zero = Floats::all(0), ux = Floats::all(shape.ux), uy = Floats::all(shape.uy);
  std::uint32_t mask = 0;
  for (int i = 0; i < 32; i += Floats::lanes) {
    const std::size_t at = first + static_cast<std::size_t>(i);
    const Floats x = Floats::load(&tiles.x[at]), y = Floats::load(&tiles.y[at]);
    const Floats along = fma(x, ux, fma(y, uy, Floats::all(shape.along)));
    const Floats across = fma(x, uy, fma(zero - y, ux, Floats::all(shape.across)));
    const Floats outside = abs(along) - Floats::all(shape.half);
    const Floats beyond = select(outside > zero, outside, zero);
    const Floats reach = Floats::all(shape.radius) + Floats::load(&tiles.radius[at]);
    const Floats gap = fma(beyond, beyond, across * across) - reach * reach;
    const auto out = (gap > zero) | (Floats::all(shape.nearest_m) > Floats::load(&tiles.farthest_m[at])) |
                     (Floats::load(&tiles.nearest_m[at]) > Floats::all(shape.farthest_m));
    mask |= (~bits(out) & all_bits) << i;
  }
  return mask;
}

TRIPTYCH_SIMD_TARGET inline void prepare_body(std::span<const Capsule> body, const SensorModel& sensor,
                                              PreparedCapsule* prepared, CullShape* shapes) {
  for (std::size_t k = 0; k < body.size(); ++k) {
    prepared[k] = prepare(body[k], sensor.camera, sensor.inside);
    shapes[k] = cull_shape(body[k], prepared[k], sensor);
  }
}

constexpr SubTileKernels kernels{&prepare_body, &may_hit_32, &gain_of_sub_tile};
