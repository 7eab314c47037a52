// The kernels of one CPU path, included once for each: TRIPTYCH_LANES is its type of packs of 16 floats,
// TRIPTYCH_LANES_TARGET the attribute its functions need. Every path does the same operations on the same
// lanes in the same order.

TRIPTYCH_LANES_TARGET void shape(const PassTables& t, const float* p, float* xs, float* ys) {
  using L = TRIPTYCH_LANES;
  const auto pose = p + t.modes;
  const auto scale = L::all(1.0f + pose[0]), turn = L::all(pose[1]), back = L::all(-pose[1]);
  const auto tx = L::all(pose[2]), ty = L::all(pose[3]);
  for (int i = 0; i < t.padded_points; i += pass_pack) {
    auto x = L::load(t.s0x.data() + i), y = L::load(t.s0y.data() + i);
    for (int k = 0; k < t.modes; ++k) {
      const auto c = L::all(p[k]);
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * t.padded_points + i;
      x = L::fused(c, L::load(t.Qx.data() + at), x);
      y = L::fused(c, L::load(t.Qy.data() + at), y);
    }
    L::store(xs + i, L::fused(scale, x, L::fused(back, y, tx)));
    L::store(ys + i, L::fused(turn, x, L::fused(scale, y, ty)));
  }
}

// Where the pixels of a tile lie. Packs may run over the end of a run: the next one writes over that.
TRIPTYCH_LANES_TARGET inline void places_of(const PassTables& t, std::int64_t tile, const float* xs,
                                            const float* ys, float* px, float* py) {
  using L = TRIPTYCH_LANES;
  std::int64_t at = tile * pass_tile;
  const auto last = static_cast<std::size_t>(t.first_run[static_cast<std::size_t>(tile) + 1]);
  for (auto r = static_cast<std::size_t>(t.first_run[static_cast<std::size_t>(tile)]); r < last; ++r) {
    const PassRun& run = t.runs[r];
    const float cx = xs[run.corners[2]], cy = ys[run.corners[2]];
    const auto ax = L::all(xs[run.corners[0]] - cx), ay = L::all(ys[run.corners[0]] - cy);
    const auto bx = L::all(xs[run.corners[1]] - cx), by = L::all(ys[run.corners[1]] - cy);
    const auto x = L::all(cx), y = L::all(cy);
    for (int i = 0; i < run.count; i += pass_pack) {
      const auto a = L::load(t.a.data() + at + i), b = L::load(t.b.data() + at + i);
      L::store(px + i, L::fused(a, ax, L::fused(b, bx, x)));
      L::store(py + i, L::fused(a, ay, L::fused(b, by, y)));
    }
    at += run.count;
    px += run.count;
    py += run.count;
  }
}

template <class Element>
struct Stored;
template <>
struct Stored<float> {
  TRIPTYCH_LANES_TARGET TRIPTYCH_LANES_INLINE static auto load(const float* p) {
    return TRIPTYCH_LANES::load(p);
  }
};
template <>
struct Stored<std::uint16_t> {
  TRIPTYCH_LANES_TARGET TRIPTYCH_LANES_INLINE static auto load(const std::uint16_t* p) {
    return TRIPTYCH_LANES::load_halves(p);
  }
};

// sums[0 .. 16 packs) += rows times x, over count samples; even and odd ones apart.
template <int packs, class Element>
TRIPTYCH_LANES_TARGET void multiply(const Element* matrix, int stride, const float* x, int count,
                                    double* sums) {
  using L = TRIPTYCH_LANES;
  typename L::Pack even[packs], odd[packs];
  for (int v = 0; v < packs; ++v) even[v] = odd[v] = L::all(0.0f);
  int i = 0;
  for (; i + 1 < count; i += 2) {
    const auto x0 = L::all(x[i]), x1 = L::all(x[i + 1]);
    const Element* next = matrix + stride;
    for (int v = 0; v < packs; ++v)
      even[v] = L::fused(Stored<Element>::load(matrix + v * pass_pack), x0, even[v]);
    for (int v = 0; v < packs; ++v)
      odd[v] = L::fused(Stored<Element>::load(next + v * pass_pack), x1, odd[v]);
    matrix = next + stride;
  }
  if (i < count) {
    const auto x0 = L::all(x[i]);
    for (int v = 0; v < packs; ++v)
      even[v] = L::fused(Stored<Element>::load(matrix + v * pass_pack), x0, even[v]);
  }
  for (int v = 0; v < packs; ++v) L::add_to(sums + v * pass_pack, L::plus(even[v], odd[v]));
}

// All rows, as many packs at a time as the registers hold.
template <class Element>
TRIPTYCH_LANES_TARGET void multiply_rows(const Element* matrix, int stride, const float* x, int count,
                                         double* sums) {
  constexpr int most = TRIPTYCH_LANES::packs_at_a_time;
  int done = 0;
  for (; stride - done >= most * pass_pack; done += most * pass_pack)
    multiply<most>(matrix + done, stride, x, count, sums + done);
  matrix += done;
  sums += done;
  switch ((stride - done) / pass_pack) {
    case 1:
      return multiply<1>(matrix, stride, x, count, sums);
    case 2:
      return multiply<2>(matrix, stride, x, count, sums);
    case 3:
      return multiply<3>(matrix, stride, x, count, sums);
    case 4:
      return multiply<4>(matrix, stride, x, count, sums);
    case 5:
      return multiply<5>(matrix, stride, x, count, sums);
    case 6:
      return multiply<6>(matrix, stride, x, count, sums);
    case 7:
      return multiply<7>(matrix, stride, x, count, sums);
    default:
      return;
  }
}

TRIPTYCH_LANES_TARGET void tiles(const PassTables& t, const PassPlanes& planes, const float* xs,
                                 const float* ys, std::int64_t first, std::int64_t last, PassSums& sums) {
  using L = TRIPTYCH_LANES;
  alignas(64) float px[pass_tile + pass_pack], py[pass_tile + pass_pack], x[pass_tile];
  alignas(64) std::int32_t offsets[pass_tile];
  const auto last_x = L::all(static_cast<float>(planes.width - 1)),
             last_y = L::all(static_cast<float>(planes.height - 1));
  const auto kappa = L::all(t.kappa);
  for (std::int64_t tile = first; tile < last; ++tile) {
    const std::int64_t begin = tile * pass_tile;
    const int count = static_cast<int>(t.pixels - begin < pass_tile ? t.pixels - begin : pass_tile);
    places_of(t, tile, xs, ys, px, py);
    // px and py become the shares of the right and lower neighbours.
    for (int i = 0; i < count; i += pass_pack) {
      const auto X = L::load(px + i), Y = L::load(py + i);
      sums.outside += L::count_outside(X, Y, last_x, last_y, count - i);
      const auto cx = L::clamped(X, last_x), cy = L::clamped(Y, last_y);
      const auto ix = L::whole(cx, planes.width - 2), iy = L::whole(cy, planes.height - 2);
      L::store(px + i, L::minus(cx, L::to_floats(ix)));
      L::store(py + i, L::minus(cy, L::to_floats(iy)));
      L::store_ints(offsets + i, L::offset(ix, iy, planes.pitch));
    }
    for (int c = 0; c < t.channels; ++c) {
      const float* above = planes.data + static_cast<std::ptrdiff_t>(c) * planes.height * planes.pitch;
      const float* below = above + planes.pitch;
      auto S1 = L::all(0.0f), S2 = L::all(0.0f);
      for (int i = 0; i < count; i += pass_pack) {
        const auto u = L::load(px + i), v = L::load(py + i);
        const auto at = L::load_ints(offsets + i);
        typename L::Pack left, right, left_below, right_below;
        L::neighbours(above, at, left, right);
        L::neighbours(below, at, left_below, right_below);
        const auto upper = L::fused(u, L::minus(right, left), left);
        const auto lower = L::fused(u, L::minus(right_below, left_below), left_below);
        const auto value = L::minus(L::fused(v, L::minus(lower, upper), upper), kappa);
        const auto kept = L::first_lanes(value, count - i);
        L::store(x + i, kept);
        S1 = L::plus(S1, kept);
        S2 = L::fused(kept, kept, S2);
      }
      L::add_to(sums.S1, S1);
      L::add_to(sums.S2, S2);
      const std::int64_t part = (begin * t.channels + static_cast<std::int64_t>(c) * count) * t.stride;
      if (t.halves.size() != 0)
        multiply_rows(t.halves.data() + part, t.stride, x, count, sums.rows);
      else
        multiply_rows(t.matrix.data() + part, t.stride, x, count, sums.rows);
    }
  }
}
