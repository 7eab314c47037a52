#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <utility>

#include "engine/moment_engine.hpp"
#include "moments/moments_cpu.hpp"

namespace triptych::skin_tracker {

namespace {

// The moments are complete when begin() returns.
class CpuMomentEngine final : public MomentEngine {
 public:
  CpuMomentEngine(SharedWeights weights, int threads) : weights_(std::move(weights)), threads_(threads) {}

  void begin(const Frame& frame, const PixelBox& region) override {
    const Moments moments =
        weights_->on_host([&](const auto& by) { return moments_cpu(frame, region, by, threads_); });
    done_.push() = moments;
  }
  void begin(const DeviceFrame&, const PixelBox&) override {
    throw InvalidArgument("a tracker on the CPU cannot take a frame that is on the GPU");
  }
  Moments finish() override {
    const Moments moments = done_.front();
    done_.pop_front();
    return moments;
  }

 private:
  SharedWeights weights_;
  int threads_;
  InFlight<Moments> done_;
};

}  // namespace

std::unique_ptr<MomentEngine> make_cpu_engine(SharedWeights weights, int threads) {
  return std::make_unique<CpuMomentEngine>(std::move(weights), threads);
}

}  // namespace triptych::skin_tracker
