#include <triptych/core/error.hpp>

#include "engine/summer.hpp"
#include "engine/weighing.hpp"

namespace triptych::skin_tracker {

namespace {

// The sums are there when begin() returns.
class CpuSummer final : public Summer {
 public:
  CpuSummer(const Classifier& classifier, FrameFormat format, int threads)
      : weighing_(classifier, format, threads), threads_(threads) {}

  void begin(const Frame& frame, const Region& region) override {
    const Sums sums = weighing_.sum(frame, region, threads_);
    done_.push() = sums;
  }
  void begin(const DeviceFrame&, const Region&) override { refuse(); }
  Sums finish() override {
    const Sums sums = done_.front();
    done_.pop_front();
    return sums;
  }
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) override {
    weighing_.sample(frame, region, step, weights);
  }
  void sample(const DeviceFrame&, const Region&, int, std::span<std::uint16_t>) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw InvalidArgument("a tracker on the CPU cannot take a frame that is on the GPU");
  }

  Weighing weighing_;
  int threads_;
  InFlight<Sums> done_;
};

}  // namespace

std::unique_ptr<Summer> make_cpu_summer(const Classifier& classifier, FrameFormat format, int threads) {
  return std::make_unique<CpuSummer>(classifier, format, threads);
}

}  // namespace triptych::skin_tracker
