#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/image_view.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <common/require_gpu.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "calculation.hpp"

namespace triptych::skin_demo {

using namespace skin_tracker;

namespace {

const LinearFilter& linear(const Classifier& classifier, Variant variant) {
  const auto* filter = std::get_if<LinearFilter>(&classifier);
  if (filter == nullptr) {
    throw Error("the variant " + to_string(variant) + " knows linear filters alone, not the classifier " +
                std::string(name_of(classifier)) + "; take cpu2, cpu3 or no variant");
  }
  return *filter;
}

class CpuCalculation : public Calculation {
 public:
  CpuCalculation(Variant variant, const Classifier& classifier, int width, int height)
      : variant_(variant),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
        view_(pixels_.data(), width, height) {
    if (needs_table(variant)) {
      table_.emplace(classifier);
    } else {
      filter_ = linear(classifier, variant);
    }
  }

  Rgba8* pixels() override { return pixels_.data(); }

  Head locate() override {
    const int width = static_cast<int>(view_.width());
    const int height = static_cast<int>(view_.height());
    switch (variant_) {
      case Variant::cpu1:
        return head_of(moments_cpu1(view_, filter_), width, height);
      case Variant::cpu2:
        return head_of(moments_cpu2(view_, table_.value()), width, height);
      case Variant::cpu3:
        return head_of(moments_cpu3(view_, table_.value()), width, height);
      case Variant::fixed:
        return head_of(moments_fixed(view_, filter_), width, height);
      case Variant::simd:
        return locate_cpu(Frame(view_), filter_, 1);
      default:
        return locate_cpu(Frame(view_), filter_);
    }
  }

  std::string describe() const override {
    return "variant " + to_string(variant_) + " on " + Device::cpu().describe();
  }

 private:
  Variant variant_;
  std::vector<Rgba8> pixels_;
  ImageView<const Rgba8> view_;
  LinearFilter filter_;
  std::optional<WeightTable<float>> table_;
};

// Frames are in pinned memory; the time of a call includes their copy to the GPU.
class GpuCalculation : public Calculation {
 public:
  GpuCalculation(Variant variant, const Classifier& classifier, int width, int height)
      : variant_(variant),
        width_(width),
        height_(height),
        filter_(linear(classifier, variant)),
        host_(std::int64_t{width} * height),
        device_(std::int64_t{width} * height),
        float_moments_(1),
        moments_(1),
        float_result_(1),
        result_(1) {
    if (variant == Variant::joint) joint_.emplace(filter_, width, height);
  }

  Rgba8* pixels() override { return host_.data(); }

  Head locate() override {
    switch (variant_) {
      case Variant::joint:
        return head_of(joint_->moments({host_.data(), width_, height_}), width_, height_);
      case Variant::fast:
        return by({});
      case Variant::cub:
        return by({reduction::Strategy::cub_device});
      case Variant::thrust:
        return by({reduction::Strategy::thrust});
      default:
        run_paper_kernel();
        stream_.synchronize();
        return head_of(float_result_.span()[0], width_, height_);
    }
  }

  std::string describe() const override {
    const std::string gpu = "variant " + to_string(variant_) + " on " + Device::cuda().describe();
    return variant_ == Variant::joint ? gpu + " and " + Device::cpu().describe() : gpu;
  }

 private:
  void copy() { copy_to_device(std::span<const Rgba8>(host_.span()), device_.span(), stream_); }

  Head by(const reduction::Options& how) {
    copy();
    const DeviceFrame frame(DeviceImageView<const Rgba8>(device_.data(), width_, height_));
    moments_cuda(frame, frame.whole(), filter_, moments_.data(), how, workspace_, stream_);
    copy_to_host(moments_.span(), result_.span(), stream_);
    stream_.synchronize();
    return head_of(result_.span()[0], width_, height_);
  }

  void run_paper_kernel() {
    copy();
    moments_gpu_variant(variant_, {device_.data(), width_, height_}, filter_, float_moments_.data(),
                        workspace_, stream_);
    copy_to_host(float_moments_.span(), float_result_.span(), stream_);
  }

  Variant variant_;
  int width_, height_;
  LinearFilter filter_;
  Stream stream_;
  Workspace workspace_;
  PinnedBuffer<Rgba8> host_;
  DeviceBuffer<Rgba8> device_;
  DeviceBuffer<FloatMoments> float_moments_;
  DeviceBuffer<Moments> moments_;
  PinnedBuffer<FloatMoments> float_result_;
  PinnedBuffer<Moments> result_;
  std::optional<JointVariant> joint_;
};

}  // namespace

std::unique_ptr<Calculation> make_calculation(std::string_view name, const Classifier& classifier, int width,
                                              int height) {
  const Variant variant = parse_variant(name);
  if (!needs_gpu(variant)) return std::make_unique<CpuCalculation>(variant, classifier, width, height);
  apps::require_gpu("the variant " + std::string(name), "try cpu1, cpu2, cpu3, fixed, simd or threads");
  return std::make_unique<GpuCalculation>(variant, classifier, width, height);
}

}  // namespace triptych::skin_demo
