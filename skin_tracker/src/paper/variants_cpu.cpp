#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <algorithm>
#include <cstdint>

namespace triptych::skin_tracker {

namespace {

// The rows [first, last) in scan order, as the paper's loop has them.
template <class Weight>
FloatSums sum_rows(ImageView<const Rgba8> frame, std::int64_t first, std::int64_t last, Weight weight) {
  FloatSums sums;
  for (std::int64_t y = first; y < last; ++y) {
    const auto fy = static_cast<float>(y);
    const Rgba8* row = frame.row(y).data();
    for (std::int64_t x = 0; x < frame.width(); ++x) {
      const float w = weight(row[x]);
      sums.weight += w;
      sums.x += w * static_cast<float>(x);
      sums.y += w * fy;
    }
  }
  return sums;
}

struct LookUp {
  const float* weights;
  float operator()(Rgba8 p) const { return weights[WeightTable<float>::index({p.r, p.g, p.b})]; }
};

struct AddFloats {
  using Value = FloatSums;
  FloatSums identity() const { return {}; }
  FloatSums operator()(const FloatSums& a, const FloatSums& b) const {
    return {a.weight + b.weight, a.x + b.x, a.y + b.y};
  }
};

}  // namespace

FloatSums sum_cpu1(ImageView<const Rgba8> frame, const LinearFilter& filter) {
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

FloatSums sum_cpu2(ImageView<const Rgba8> frame, const WeightTable<float>& table) {
  return sum_rows(frame, 0, frame.height(), LookUp{table.weights().data()});
}

// Chunks of rows, whose sums are added up in their order: the result does not depend on the threads.
FloatSums sum_cpu3(ImageView<const Rgba8> frame, const WeightTable<float>& table, int threads) {
  constexpr std::int64_t rows = 8;
  return reduction::reduce_chunks(frame.height(), rows, threads, AddFloats{},
                                  [&](std::int64_t first, std::int64_t last) {
                                    return sum_rows(frame, first, last, LookUp{table.weights().data()});
                                  });
}

}  // namespace triptych::skin_tracker
