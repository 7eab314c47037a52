// The kernels of one CPU path, included once for each: TRIPTYCH_LANES is its type of packed floats,
// TRIPTYCH_LANES_TARGET the attribute its functions need. The formulas are those of ray_capsule_math.hpp and
// cull_math.hpp, operation by operation.

template <Surface surface, Loss loss>
TRIPTYCH_LANES_TARGET std::uint64_t gain_of_part_as(const Rays::Data& rays, std::size_t first,
                                                    const PreparedCapsule* body,
                                                    std::span<const std::uint32_t> listed) {
  using L = TRIPTYCH_LANES;
  using F = typename L::Floats;
  constexpr int packs = part_rays / L::lanes;
  F x[packs], y[packs], g[packs], h[packs], best[packs];
  for (int i = 0; i < packs; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i * L::lanes);
    x[i] = L::load(&rays.x[at]);
    y[i] = L::load(&rays.y[at]);
    g[i] = L::load(&rays.g[at]);
    h[i] = L::load(&rays.h[at]);
    best[i] = L::all(nothing_met(surface));
  }
  for (const std::uint32_t k : listed) {
    const PreparedCapsule& p = body[k];
    if (is_near(p)) {
      alignas(64) float one_by_one[part_rays];
      for (int i = 0; i < packs; ++i) L::store(one_by_one + i * L::lanes, best[i]);
      for (std::size_t i = 0; i < part_rays; ++i) {
        const Ray ray = rays.ray(static_cast<std::int64_t>(first + i));
        const float t = meet_near(ray_direction(ray.x, ray.y), p);
        one_by_one[i] = better(surface, one_by_one[i], t, ray.g, ray.h);
      }
      for (int i = 0; i < packs; ++i) best[i] = L::load(one_by_one + i * L::lanes);
      continue;
    }
    const F cx = L::all(p.cx), cy = L::all(p.cy), cz = L::all(p.cz);
    const F mx = L::all(p.mx), my = L::all(p.my), mz = L::all(p.mz);
    const F ex = L::all(p.ex), ey = L::all(p.ey), ez = L::all(p.ez);
    for (int i = 0; i < packs; ++i) {
      const F s = L::fused(cx, x[i], L::fused(cy, y[i], cz));
      const F n = L::fused(mx, x[i], L::fused(my, y[i], mz));
      const F e = L::fused(ex, x[i], L::fused(ey, y[i], ez));
      const F e2 = L::times(e, e);
      const F q = L::fused(L::all(-p.k1), e2, L::fused(n, n, L::all(least_n2)));
      const auto crosses = L::above(q, L::all(0));
      if (!L::any(crosses)) continue;
      const F below = L::fused(L::all(p.mr), n, L::root(q));
      F t = L::times(L::all(p.kr), L::over(L::all(1), below));
      t = L::where(L::both(crosses, L::differs(below, L::all(0))), t, L::all(exact::no_number));
      const F beyond = L::fused(t, s, L::all(-p.middle));
      const auto past_end = L::above(L::magnitude(beyond), L::all(p.half_length));
      if (L::any(past_end)) {
        const std::size_t at = first + static_cast<std::size_t>(i * L::lanes);
        const F yc = L::plus(L::all(p.middle), L::with_sign(L::all(p.half_length), beyond));
        const F mu = L::all(p.mu);
        const F z = L::fused(yc, n, L::minus(L::all(0), L::times(mu, s)));
        const F from = L::fused(L::minus(L::all(0), e2), L::fused(yc, yc, L::times(mu, mu)),
                                L::times(L::all(p.r2), L::load(&rays.vv[at])));
        const F qc = L::fused(L::minus(L::all(0), z), z, from);
        const F along = L::fused(yc, s, L::times(mu, n));
        F end = L::times(L::minus(along, L::root(qc)), L::load(&rays.inverse_vv[at]));
        end = L::where(L::above(qc, L::all(0)), end, L::all(exact::no_number));
        t = L::where(past_end, end, t);
      }
      if constexpr (surface == Surface::closest) {
        best[i] = L::smaller(best[i], L::magnitude(L::fused(t, g[i], L::minus(L::all(0), h[i]))));
      } else {
        best[i] = L::smaller(best[i], t);
      }
    }
  }
  alignas(64) float residual[part_rays];
  for (int i = 0; i < packs; ++i) {
    if constexpr (surface == Surface::first)
      best[i] = L::smaller(L::all(1), L::magnitude(L::fused(best[i], g[i], L::minus(L::all(0), h[i]))));
    L::store(residual + i * L::lanes, best[i]);
  }
  std::uint64_t sum = 0;
  if (rays.weighted) {
    for (std::size_t i = 0; i < part_rays; ++i)
      sum += weighted_gain(gain_of(loss, residual[i]), rays.weight[first + i]);
  } else {
    std::int32_t gains = 0;  // at most 32 x 2^22
    for (int i = 0; i < packs; ++i) {
      alignas(64) float level[L::lanes];
      L::store(level,
               loss == Loss::squared ? L::fused(best[i], best[i], L::all(2)) : L::plus(best[i], L::all(2)));
      for (int lane = 0; lane < L::lanes; ++lane) gains += 0x40400000 - exact::bits_of(level[lane]);
    }
    sum = static_cast<std::uint64_t>(gains);
  }
  return sum;
}

TRIPTYCH_LANES_TARGET inline std::uint64_t gain_of_part(const Rays::Data& rays, std::size_t first,
                                                        const PreparedCapsule* body,
                                                        std::span<const std::uint32_t> listed) {
  const bool closest = rays.measure.surface == Surface::closest, squared = rays.measure.loss == Loss::squared;
  if (closest)
    return squared ? gain_of_part_as<Surface::closest, Loss::squared>(rays, first, body, listed)
                   : gain_of_part_as<Surface::closest, Loss::absolute>(rays, first, body, listed);
  return squared ? gain_of_part_as<Surface::first, Loss::squared>(rays, first, body, listed)
                 : gain_of_part_as<Surface::first, Loss::absolute>(rays, first, body, listed);
}

TRIPTYCH_LANES_TARGET inline std::uint32_t may_meet_32(const Bounds& tiles, std::size_t first,
                                                       const CullShape& shape) {
  using L = TRIPTYCH_LANES;
  using F = typename L::Floats;
  std::uint32_t mask = 0;
  for (int i = 0; i < 32; i += L::lanes) {
    const std::size_t at = first + static_cast<std::size_t>(i);
    const F x = L::load(&tiles.x[at]), y = L::load(&tiles.y[at]);
    const F along = L::fused(x, L::all(shape.ux), L::fused(y, L::all(shape.uy), L::all(shape.along)));
    const F across = L::fused(x, L::all(shape.uy),
                              L::fused(L::minus(L::all(0), y), L::all(shape.ux), L::all(shape.across)));
    const F outside = L::minus(L::magnitude(along), L::all(shape.half));
    const F beyond = L::where(L::above(outside, L::all(0)), outside, L::all(0));
    const F reach = L::plus(L::all(shape.radius), L::load(&tiles.radius[at]));
    const F gap = L::minus(L::fused(beyond, beyond, L::times(across, across)), L::times(reach, reach));
    const auto out = L::either(L::above(gap, L::all(0)),
                               L::either(L::above(L::all(shape.nearest_m), L::load(&tiles.farthest_m[at])),
                                         L::above(L::load(&tiles.nearest_m[at]), L::all(shape.farthest_m))));
    mask |= (~L::bits(out) & L::all_bits) << i;
  }
  return mask;
}

TRIPTYCH_LANES_TARGET inline void prepare_body(std::span<const Capsule> body, const Measure& measure,
                                               PreparedCapsule* prepared, CullShape* shapes) {
  for (std::size_t k = 0; k < body.size(); ++k) {
    prepared[k] = prepare(body[k], measure.camera, measure.inside);
    shapes[k] = cull_shape(body[k], prepared[k], measure);
  }
}
