// gpu1 .. gpu8: the paper's transform of a pixel under eight strategies of the reduction module.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/transform_reduce.cuh>
#include <triptych/skin_tracker/variants.hpp>

#include <string>

namespace triptych::skin_tracker {

namespace {

using reduction::Strategy;

// FloatMoments, but trivial, as an accumulator must be.
struct FloatWords {
  float weight, x, y;
};
static_assert(sizeof(FloatWords) == sizeof(FloatMoments));

struct AddFloats {
  using Value = FloatWords;
  static constexpr bool exact = false;
  TRIPTYCH_HD FloatWords identity() const { return {0, 0, 0}; }
  TRIPTYCH_HD FloatWords operator()(const FloatWords& a, const FloatWords& b) const {
    return {a.weight + b.weight, a.x + b.x, a.y + b.y};
  }
  __device__ static void atomic(FloatWords* address, const FloatWords& v) {
    atomicAdd(&address->weight, v.weight);
    atomicAdd(&address->x, v.x);
    atomicAdd(&address->y, v.y);
  }
};

// Pixel i in scan order.
struct FloatPixels {
  const std::uint8_t* data;
  std::int64_t pitch_bytes;
  std::uint32_t width;
  float r, g, b, d;

  TRIPTYCH_HD FloatWords operator()(std::int64_t i) const {
    const auto index = static_cast<std::uint32_t>(i);
    const std::uint32_t y = index / width;
    const std::uint32_t x = index - y * width;
    const auto p = reinterpret_cast<const uchar4*>(data + std::int64_t{y} * pitch_bytes)[x];
    const float w =
        r * static_cast<float>(p.x) + g * static_cast<float>(p.y) + b * static_cast<float>(p.z) + d;
    const float weight = w > 0 ? (w < 1 ? w : 1.0f) : 0.0f;
    return {weight, weight * static_cast<float>(x), weight * static_cast<float>(y)};
  }
};

Strategy strategy_of(Variant variant) {
  switch (variant) {
    case Variant::gpu1:
      return Strategy::global_atomic;
    case Variant::gpu2:
      return Strategy::shared_atomic;
    case Variant::gpu3:
      return Strategy::tree_interleaved;
    case Variant::gpu4:
      return Strategy::tree_sequential;
    case Variant::gpu5:
      return Strategy::grid_stride_shared;
    case Variant::gpu6:
      return Strategy::grid_stride_shared_x2;
    case Variant::gpu7:
      return Strategy::grid_stride_register;
    case Variant::gpu8:
      return Strategy::grid_stride_atomic;
    default:
      throw InvalidArgument(to_string(variant) + " is not one of the paper's GPU versions, gpu1 .. gpu8");
  }
}

}  // namespace

void moments_gpu_variant(Variant variant, DeviceImageView<const Rgba8> frame, const LinearFilter& filter,
                         FloatMoments* moments_on_device, Workspace& workspace, StreamRef stream) {
  const reduction::Options options{strategy_of(variant), reduction::Determinism::not_guaranteed, 0};
  const DeviceFrame checked(frame);  // its size is one that 32 bits can index
  require(reinterpret_cast<std::uintptr_t>(checked.data()) % 4 == 0 && checked.pitch_bytes() % 4 == 0,
          "the paper's versions read whole pixels: data and pitch must be multiples of 4 bytes");
  const FloatPixels pixels{checked.data(),
                           checked.pitch_bytes(),
                           static_cast<std::uint32_t>(checked.width()),
                           static_cast<float>(filter.r),
                           static_cast<float>(filter.g),
                           static_cast<float>(filter.b),
                           static_cast<float>(filter.d)};
  reduction::transform_reduce_cuda(pixels, std::int64_t{checked.width()} * checked.height(), AddFloats{},
                                   reinterpret_cast<FloatWords*>(moments_on_device), options, workspace,
                                   stream);
}

}  // namespace triptych::skin_tracker
