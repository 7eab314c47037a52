// The kernels of one instruction set, included once for each (simd/for_each_set.hpp). All sets do the same
// operations on the same 16 lanes in the same order; a set with shorter packs holds the lanes in several.

using Floats = simd::Pack<float, Set>;
using Ints = simd::Pack<std::int32_t, Set>;
constexpr int lanes = Floats::lanes, parts = pass_pack / lanes;

TRIPTYCH_SIMD_TARGET void shape(const PassTables& t, const float* p, float* xs, float* ys) {
  const auto pose = p + t.modes;
  const Floats scale = Floats::all(1.0f + pose[0]), rotation = Floats::all(pose[1]),
               back = Floats::all(-pose[1]);
  const Floats tx = Floats::all(pose[2]), ty = Floats::all(pose[3]);
  for (int i = 0; i < t.padded_points; i += pass_pack) {
    Floats x[parts], y[parts];
    for (int part = 0; part < parts; ++part) {
      x[part] = Floats::load(t.s0x.data() + i + part * lanes);
      y[part] = Floats::load(t.s0y.data() + i + part * lanes);
    }
    for (int k = 0; k < t.modes; ++k) {
      const Floats c = Floats::all(p[k]);
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * t.padded_points + i;
      for (int part = 0; part < parts; ++part) {
        x[part] = multiply_add(c, Floats::load(t.Qx.data() + at + part * lanes), x[part]);
        y[part] = multiply_add(c, Floats::load(t.Qy.data() + at + part * lanes), y[part]);
      }
    }
    for (int part = 0; part < parts; ++part) {
      const int at = i + part * lanes;
      multiply_add(scale, x[part], multiply_add(back, y[part], tx)).store(xs + at);
      multiply_add(rotation, x[part], multiply_add(scale, y[part], ty)).store(ys + at);
    }
  }
}

// Where the pixels of a tile lie. Packs may run over the end of a run: the next one writes over that.
TRIPTYCH_SIMD_TARGET inline void places_of(const PassTables& t, std::int64_t tile, const float* xs,
                                           const float* ys, float* px, float* py) {
  std::int64_t at = tile * pass_tile;
  const auto last = static_cast<std::size_t>(t.first_run[static_cast<std::size_t>(tile) + 1]);
  for (auto r = static_cast<std::size_t>(t.first_run[static_cast<std::size_t>(tile)]); r < last; ++r) {
    const PassRun& run = t.runs[r];
    const float cx = xs[run.corners[2]], cy = ys[run.corners[2]];
    const Floats ax = Floats::all(xs[run.corners[0]] - cx), ay = Floats::all(ys[run.corners[0]] - cy);
    const Floats bx = Floats::all(xs[run.corners[1]] - cx), by = Floats::all(ys[run.corners[1]] - cy);
    const Floats x = Floats::all(cx), y = Floats::all(cy);
    for (int i = 0; i < run.count; i += lanes) {
      const Floats a = Floats::load(t.a.data() + at + i), b = Floats::load(t.b.data() + at + i);
      multiply_add(a, ax, multiply_add(b, bx, x)).store(px + i);
      multiply_add(a, ay, multiply_add(b, by, y)).store(py + i);
    }
    at += run.count;
    px += run.count;
    py += run.count;
  }
}

TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE Floats load_row(const float* p) { return Floats::load(p); }
TRIPTYCH_SIMD_TARGET TRIPTYCH_SIMD_INLINE Floats load_row(const std::uint16_t* p) {
  return Floats::load_halves(p);
}

// sums[0 .. 16 packs) += rows times x, over count samples; even and odd ones apart.
template <int packs, class Element>
TRIPTYCH_SIMD_TARGET void multiply(const Element* matrix, int stride, const float* x, int count,
                                   double* sums) {
  constexpr int registers = packs * parts;
  Floats even[registers], odd[registers];
  for (int v = 0; v < registers; ++v) even[v] = odd[v] = Floats::all(0.0f);
  int i = 0;
  for (; i + 1 < count; i += 2) {
    const Floats x0 = Floats::all(x[i]), x1 = Floats::all(x[i + 1]);
    const Element* next = matrix + stride;
    for (int v = 0; v < registers; ++v) even[v] = multiply_add(load_row(matrix + v * lanes), x0, even[v]);
    for (int v = 0; v < registers; ++v) odd[v] = multiply_add(load_row(next + v * lanes), x1, odd[v]);
    matrix = next + stride;
  }
  if (i < count) {
    const Floats x0 = Floats::all(x[i]);
    for (int v = 0; v < registers; ++v) even[v] = multiply_add(load_row(matrix + v * lanes), x0, even[v]);
  }
  for (int v = 0; v < registers; ++v) add_to(sums + v * lanes, even[v] + odd[v]);
}

// All rows, as many packs at a time as the registers hold.
template <int packs = lanes == 16  ? 8
                      : lanes == 1 ? 2
                                   : 3,
          class Element>
TRIPTYCH_SIMD_TARGET void multiply_rows(const Element* matrix, int stride, int rows, const float* x,
                                        int count, double* sums) {
  int done = 0;
  for (; rows - done >= packs * pass_pack; done += packs * pass_pack)
    multiply<packs>(matrix + done, stride, x, count, sums + done);
  if constexpr (packs > 1)
    if (done < rows) multiply_rows<packs - 1>(matrix + done, stride, rows - done, x, count, sums + done);
}

// Where the pixels of a tile are sampled for one shape.
struct TilePlaces {
  alignas(64) float u[pass_tile + pass_pack], v[pass_tile + pass_pack];  // shares of the next neighbours
  alignas(64) std::int32_t offsets[pass_tile];
};

// Returns the number of pixels outside the planes.
TRIPTYCH_SIMD_TARGET inline std::int64_t find_places(const PassTables& t, const PassPlanes& planes,
                                                     std::int64_t tile, int count, int padded,
                                                     const float* shape, TilePlaces& places) {
  const Floats zero = Floats::all(0.0f);
  const Floats last_x = Floats::all(static_cast<float>(planes.width - 1)),
               last_y = Floats::all(static_cast<float>(planes.height - 1));
  const Ints max_x = Ints::all(planes.width - 2), max_y = Ints::all(planes.height - 2);
  const Ints pitch = Ints::all(planes.pitch);
  places_of(t, tile, shape, shape + t.padded_points, places.u, places.v);
  std::int64_t outside = 0;
  for (int i = 0; i < padded; i += lanes) {
    const Floats X = Floats::load(places.u + i), Y = Floats::load(places.v + i);
    const auto inside = (X >= zero) & (X <= last_x) & (Y >= zero) & (Y <= last_y);
    outside += count_clear(inside, count - i);
    const Floats cx = min_number(last_x, max_number(zero, X)), cy = min_number(last_y, max_number(zero, Y));
    const Ints ix = min(truncate(cx), max_x), iy = min(truncate(cy), max_y);
    (cx - to_float(ix)).store(places.u + i);
    (cy - to_float(iy)).store(places.v + i);
    (ix + iy * pitch).store(places.offsets + i);
  }
  return outside;
}

// Samples a channel into x and adds S1 and S2.
TRIPTYCH_SIMD_TARGET inline void sample(const PassTables& t, const PassPlanes& planes, int channel, int count,
                                        const TilePlaces& places, float* x, PassSums& sums) {
  const Floats zero = Floats::all(0.0f), sample_offset = Floats::all(t.sample_offset);
  const float* above = planes.data + static_cast<std::ptrdiff_t>(channel) * planes.height * planes.pitch;
  const float* below = above + planes.pitch;
  Floats S1[parts], S2[parts];
  for (int part = 0; part < parts; ++part) S1[part] = S2[part] = zero;
  for (int i = 0; i < count; i += pass_pack) {
    for (int part = 0; part < parts; ++part) {
      const int at = i + part * lanes;
      const Floats u = Floats::load(places.u + at), v = Floats::load(places.v + at);
      const Ints offset = Ints::load(places.offsets + at);
      Floats left, right, left_below, right_below;
      load_pairs(above, offset, left, right);
      load_pairs(below, offset, left_below, right_below);
      const Floats upper = multiply_add(u, right - left, left);
      const Floats lower = multiply_add(u, right_below - left_below, left_below);
      Floats value = multiply_add(v, lower - upper, upper) - sample_offset;
      if (count - i < pass_pack) value = first_lanes(value, count - at);
      value.store(x + at);
      S1[part] = S1[part] + value;
      S2[part] = multiply_add(value, value, S2[part]);
    }
  }
  for (int part = 0; part < parts; ++part) {
    add_to(sums.S1 + part * lanes, S1[part]);
    add_to(sums.S2 + part * lanes, S2[part]);
  }
}

TRIPTYCH_SIMD_TARGET void tiles(const PassTables& t, const PassPlanes& planes,
                                std::span<const float* const> shapes, std::int64_t first, std::int64_t last,
                                PassSums* sums) {
  TilePlaces places[pass_shapes];
  alignas(64) float x[pass_tile];
  for (std::int64_t tile = first; tile < last; ++tile) {
    const std::int64_t begin = tile * pass_tile;
    const int count = static_cast<int>(t.pixels - begin < pass_tile ? t.pixels - begin : pass_tile);
    const int padded = (count + pass_pack - 1) / pass_pack * pass_pack;
    for (std::size_t s = 0; s < shapes.size(); ++s)
      sums[s].outside += find_places(t, planes, tile, count, padded, shapes[s], places[s]);
    for (int c = 0; c < t.channels; ++c) {
      const std::int64_t rows = (begin * t.channels + static_cast<std::int64_t>(c) * count) * t.stride;
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        sample(t, planes, c, count, places[s], x, sums[s]);
        if (t.halves.size() != 0)
          multiply_rows(t.halves.data() + rows, t.stride, t.stride, x, count, sums[s].rows);
        else
          multiply_rows(t.matrix.data() + rows, t.stride, t.stride, x, count, sums[s].rows);
      }
    }
  }
}

constexpr PassKernels kernels{&shape, &tiles};
