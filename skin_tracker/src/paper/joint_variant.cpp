#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace triptych::skin_tracker {

class JointVariant::Impl {
 public:
  Impl(const LinearFilter& filter, int width, int height, int threads)
      : filter_(filter),
        width_(checked_width(width, height)),
        height_(height),
        threads_(threads),
        table_(Classifier(filter)),
        gpu_(current_gpu()),
        upper_(std::int64_t{width} * height),
        on_device_(1),
        on_host_(1),
        balancer_(height) {}

  FloatMoments moments(ImageView<const Rgba8> frame) {
    require(frame.width() == width_ && frame.height() == height_ && frame.is_contiguous(),
            "this variant takes frames of ", width_, " x ", height_, " without gaps between rows, not of ",
            frame.width(), " x ", frame.height());
    const DeviceGuard guard(gpu_);
    const std::int64_t rows = balancer_.next_gpu_share();
    const Stopwatch watch;
    if (rows > 0) start_gpu(frame, rows);
    FloatMoments moments;
    if (rows < height_)
      moments = moments_cpu3(frame.region(0, rows, width_, height_ - rows), table_, threads_);
    moments.y += static_cast<float>(rows) * moments.weight;
    const double cpu_us = watch.elapsed_us();
    double gpu_us = 0;
    if (rows > 0) {
      stream_.synchronize();
      gpu_us = 1e3 * Event::elapsed_ms(begin_, end_);
      const FloatMoments& upper = on_host_.span()[0];
      moments.weight += upper.weight;
      moments.x += upper.x;
      moments.y += upper.y;
    }
    balancer_.report(rows, gpu_us, cpu_us);
    return moments;
  }

 private:
  static int checked_width(int width, int height) {
    require(width > 0 && height > 0 && width <= max_width && height <= max_height,
            "this variant takes frames of up to ", max_width, " x ", max_height, " pixels, not of ", width,
            " x ", height);
    return width;
  }

  void start_gpu(ImageView<const Rgba8> frame, std::int64_t rows) {
    const std::int64_t count = rows * width_;
    begin_.record(stream_);
    copy_to_device(std::span<const Rgba8>(frame.data(), static_cast<std::size_t>(count)),
                   DeviceSpan<Rgba8>(upper_.data(), count), stream_);
    moments_gpu_variant(Variant::gpu8, {upper_.data(), width_, rows}, filter_, on_device_.data(), workspace_,
                        stream_);
    copy_to_host(DeviceSpan<const FloatMoments>(on_device_.span()), on_host_.span(), stream_);
    end_.record(stream_);
  }

  LinearFilter filter_;
  int width_, height_, threads_;
  WeightTable<float> table_;
  int gpu_;
  Stream stream_;
  Event begin_, end_;
  Workspace workspace_;
  DeviceBuffer<Rgba8> upper_;
  DeviceBuffer<FloatMoments> on_device_;
  PinnedBuffer<FloatMoments> on_host_;
  LoadBalancer balancer_;
};

JointVariant::JointVariant(const LinearFilter& filter, int width, int height, int threads)
    : impl_(std::make_unique<Impl>(filter, width, height, threads)) {}
JointVariant::JointVariant(JointVariant&&) noexcept = default;
JointVariant& JointVariant::operator=(JointVariant&&) noexcept = default;
JointVariant::~JointVariant() = default;

FloatMoments JointVariant::moments(ImageView<const Rgba8> frame) { return impl_->moments(frame); }

}  // namespace triptych::skin_tracker
