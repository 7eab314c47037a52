#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/image_view.hpp>
#include <triptych/skin_tracker/locate.hpp>
#include <triptych/skin_tracker/split.hpp>
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

// Integer sums as the formula has them, one pixel after the other.
Sums sum_plainly(ImageView<const Rgba8> frame, const FixedFilter& filter) {
  Sums sums;
  for (std::int64_t y = 0; y < frame.height(); ++y) {
    const std::int64_t dy = y - frame.height() / 2;
    std::int64_t dx = -(frame.width() / 2);
    for (const Rgba8& p : frame.row(y)) {
      const std::int64_t w = filter.weight(p.r, p.g, p.b);
      Sums pixel;
      pixel.weight = static_cast<std::uint64_t>(w);
      pixel.x = w * dx;
      pixel.y = w * dy;
      pixel.xx = static_cast<std::uint64_t>(w * dx * dx);
      pixel.xy = w * dx * dy;
      pixel.yy = static_cast<std::uint64_t>(w * dy * dy);
      sums += pixel;
      ++dx;
    }
  }
  return sums;
}

const LinearFilter& linear(const Classifier& classifier, Variant variant) {
  const auto* filter = std::get_if<LinearFilter>(&classifier);
  if (filter == nullptr) {
    throw Error("the variant " + std::string(to_string(variant)) +
                " knows linear filters alone, not the classifier " + std::string(name_of(classifier)) +
                "; take cpu2, cpu3 or no variant");
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
        return head_of(sum_cpu1(view_, filter_), width, height);
      case Variant::cpu2:
        return head_of(sum_cpu2(view_, table_.value()), width, height);
      case Variant::cpu3:
        return head_of(sum_cpu3(view_, table_.value()), width, height);
      case Variant::fixed:
        return head_of(sum_plainly(view_, fix(filter_)), width, height);
      case Variant::simd:
        return locate_cpu(Frame(view_), filter_, 1);
      default:
        return locate_cpu(Frame(view_), filter_);
    }
  }

  std::string describe() const override {
    return "variant " + std::string(to_string(variant_)) + " on " + Device::cpu().describe();
  }

 private:
  Variant variant_;
  std::vector<Rgba8> pixels_;
  ImageView<const Rgba8> view_;
  LinearFilter filter_;
  std::optional<WeightTable<float>> table_;
};

// Frames lie in page-locked memory; what a call takes includes their way to the GPU.
class GpuCalculation : public Calculation {
 public:
  GpuCalculation(Variant variant, const Classifier& classifier, int width, int height)
      : variant_(variant),
        width_(width),
        height_(height),
        filter_(linear(classifier, variant)),
        host_(std::int64_t{width} * height),
        device_(std::int64_t{width} * height),
        float_sums_(1),
        sums_(1),
        float_result_(1),
        result_(1),
        splitter_(height) {
    if (variant == Variant::joint) table_.emplace(classifier);
  }

  Rgba8* pixels() override { return host_.data(); }

  Head locate() override {
    switch (variant_) {
      case Variant::joint:
        return head_of(joint(), width_, height_);
      case Variant::fast:
        return by({});
      case Variant::cub:
        return by({reduction::Strategy::cub_device});
      case Variant::thrust:
        return by({reduction::Strategy::thrust});
      default:
        enqueue(height_, variant_);
        stream_.synchronize();
        return head_of(float_result_.span()[0], width_, height_);
    }
  }

  std::string describe() const override {
    const std::string gpu =
        "variant " + std::string(to_string(variant_)) + " on " + Device::cuda().describe();
    return variant_ == Variant::joint ? gpu + " and " + Device::cpu().describe() : gpu;
  }

 private:
  void copy(std::int64_t rows) {
    const std::int64_t count = rows * width_;
    copy_to_device(std::span<const Rgba8>(host_.data(), static_cast<std::size_t>(count)),
                   DeviceSpan<Rgba8>(device_.data(), count), stream_);
  }

  Head by(const reduction::Options& how) {
    copy(height_);
    const DeviceFrame frame(DeviceImageView<const Rgba8>(device_.data(), width_, height_));
    sum_cuda(frame, frame.whole(), filter_, sums_.data(), how, workspace_, stream_);
    copy_to_host(sums_.span(), result_.span(), stream_);
    stream_.synchronize();
    return head_of(result_.span()[0], width_, height_);
  }

  // The upper rows, by a kernel of the paper, towards float_result_.
  void enqueue(std::int64_t rows, Variant kernel) {
    copy(rows);
    sum_gpu_variant(kernel, DeviceImageView<const Rgba8>(device_.data(), width_, rows), filter_,
                    float_sums_.data(), workspace_, stream_);
    copy_to_host(float_sums_.span(), float_result_.span(), stream_);
  }

  // gpu8 on the upper rows while cpu3 has the others.
  FloatSums joint() {
    const std::int64_t rows = splitter_.next_gpu_share();
    if (rows > 0) {
      begin_.record(stream_);
      enqueue(rows, Variant::gpu8);
      end_.record(stream_);
    }
    FloatSums sums;
    double cpu_us = 0;
    if (rows < height_) {
      const Stopwatch watch;
      const ImageView<const Rgba8> whole(host_.data(), width_, height_);
      sums = sum_cpu3(whole.region(0, rows, width_, height_ - rows), table_.value());
      sums.y += static_cast<float>(rows) * sums.weight;
      cpu_us = watch.elapsed_us();
    }
    double gpu_us = 0;
    if (rows > 0) {
      stream_.synchronize();
      gpu_us = 1e3 * Event::elapsed_ms(begin_, end_);
      const FloatSums& upper = float_result_.span()[0];
      sums.weight += upper.weight;
      sums.x += upper.x;
      sums.y += upper.y;
    }
    splitter_.report(rows, gpu_us, cpu_us);
    return sums;
  }

  Variant variant_;
  int width_, height_;
  LinearFilter filter_;
  Stream stream_;
  Event begin_, end_;
  Workspace workspace_;
  PinnedBuffer<Rgba8> host_;
  DeviceBuffer<Rgba8> device_;
  DeviceBuffer<FloatSums> float_sums_;
  DeviceBuffer<Sums> sums_;
  PinnedBuffer<FloatSums> float_result_;
  PinnedBuffer<Sums> result_;
  Splitter splitter_;
  std::optional<WeightTable<float>> table_;
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
