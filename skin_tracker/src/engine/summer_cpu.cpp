#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <utility>

#include "engine/summer.hpp"
#include "moments/locate_paths.hpp"

namespace triptych::skin_tracker {

namespace {

// The sums are there when begin() returns.
class CpuSummer final : public Summer {
 public:
  CpuSummer(SharedWeights weights, int threads) : weights_(std::move(weights)), threads_(threads) {}

  void begin(const Frame& frame, const Region& region) override {
    const Sums sums = weights_->on_host([&](const auto& by) { return sum_cpu(frame, region, by, threads_); });
    done_.push() = sums;
  }
  void begin(const DeviceFrame&, const Region&) override {
    throw InvalidArgument("a tracker on the CPU cannot take a frame that is on the GPU");
  }
  Sums finish() override {
    const Sums sums = done_.front();
    done_.pop_front();
    return sums;
  }

 private:
  SharedWeights weights_;
  int threads_;
  InFlight<Sums> done_;
};

}  // namespace

std::unique_ptr<Summer> make_cpu_summer(SharedWeights weights, int threads) {
  return std::make_unique<CpuSummer>(std::move(weights), threads);
}

}  // namespace triptych::skin_tracker
