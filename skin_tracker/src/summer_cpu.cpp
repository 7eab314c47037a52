#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include "sample_cpu.hpp"
#include "summer.hpp"

namespace triptych::skin_tracker {

namespace {

// Rule: a LinearFilter or a WeightTable<std::uint16_t>. The sums are there when begin() returns.
template <class Rule>
class CpuSummer final : public Summer {
 public:
  CpuSummer(Rule rule, int threads) : rule_(std::move(rule)), threads_(threads) {}

  void begin(const Frame& frame, const Region& region) override {
    const Sums sums = sum_cpu(frame, region, rule_, threads_);
    done_.push() = sums;
  }
  void begin(const DeviceFrame&, const Region&) override { refuse(); }
  Sums finish() override {
    const Sums sums = done_.front();
    done_.pop_front();
    return sums;
  }
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) override {
    sample_cpu(frame, region, step, rule_, weights);
  }
  void sample(const DeviceFrame&, const Region&, int, std::span<std::uint16_t>) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw InvalidArgument("a tracker on the CPU cannot take a frame that is on the GPU");
  }

  Rule rule_;
  int threads_;
  InFlight<Sums> done_;
};

}  // namespace

std::unique_ptr<Summer> make_cpu_summer(const Classifier& classifier, int threads) {
  if (const auto* filter = std::get_if<LinearFilter>(&classifier)) {
    fix(*filter);  // says now what is wrong with it
    return std::make_unique<CpuSummer<LinearFilter>>(*filter, threads);
  }
  return std::make_unique<CpuSummer<WeightTable<std::uint16_t>>>(
      WeightTable<std::uint16_t>(classifier, threads), threads);
}

}  // namespace triptych::skin_tracker
