#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <algorithm>
#include <cstdint>

#include "moments/moments_cpu.hpp"

namespace triptych::skin_tracker {

namespace {

// The rows [first, last) in scan order, as the paper's loop has them.
template <class Weight>
FloatMoments sum_rows(ImageView<const Rgba8> frame, std::int64_t first, std::int64_t last, Weight weight) {
  FloatMoments moments;
  for (std::int64_t y = first; y < last; ++y) {
    const auto fy = static_cast<float>(y);
    const Rgba8* row = frame.row(y).data();
    for (std::int64_t x = 0; x < frame.width(); ++x) {
      const float w = weight(row[x]);
      moments.weight += w;
      moments.x += w * static_cast<float>(x);
      moments.y += w * fy;
    }
  }
  return moments;
}

struct LookUp {
  const float* weights;
  float operator()(Rgba8 p) const { return weights[WeightTable<float>::index({p.r, p.g, p.b})]; }
};

struct AddFloats {
  using Value = FloatMoments;
  FloatMoments identity() const { return {}; }
  FloatMoments operator()(const FloatMoments& a, const FloatMoments& b) const {
    return {a.weight + b.weight, a.x + b.x, a.y + b.y};
  }
};

}  // namespace

FloatMoments moments_cpu1(ImageView<const Rgba8> frame, const LinearFilter& filter) {
  const auto r = static_cast<float>(filter.r);
  const auto g = static_cast<float>(filter.g);
  const auto b = static_cast<float>(filter.b);
  const auto d = static_cast<float>(filter.d);
  return sum_rows(frame, 0, frame.height(), [=](Rgba8 p) {
    const float w =
        r * static_cast<float>(p.r) + g * static_cast<float>(p.g) + b * static_cast<float>(p.b) + d;
    return std::min(1.0f, std::max(0.0f, w));
  });
}

FloatMoments moments_cpu2(ImageView<const Rgba8> frame, const WeightTable<float>& table) {
  return sum_rows(frame, 0, frame.height(), LookUp{table.weights().data()});
}

// Chunks of rows, whose sums are added up in their order: the result does not depend on the threads.
FloatMoments moments_cpu3(ImageView<const Rgba8> frame, const WeightTable<float>& table, int threads) {
  constexpr std::int64_t rows = 8;
  return reduction::reduce_chunks(frame.height(), rows, threads, AddFloats{},
                                  [&](std::int64_t first, std::int64_t last) {
                                    return sum_rows(frame, first, last, LookUp{table.weights().data()});
                                  });
}

Moments moments_fixed(ImageView<const Rgba8> frame, const LinearFilter& filter) {
  const Frame checked(frame);
  return moments_cpu_by(CpuPath::plain, checked, checked.whole(), fix(filter), 1);
}

}  // namespace triptych::skin_tracker
