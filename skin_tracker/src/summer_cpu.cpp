#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <cstddef>

#include "sample_cpu.hpp"
#include "summer.hpp"

namespace triptych::skin_tracker {

namespace {

template <class F>
void sample_by_sums(Summer& summer, const F& frame, const Region& region, int step,
                    std::span<std::uint16_t> weights) {
  const int columns = region.width / step, rows = region.height / step;
  require(weights.size() == static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows),
          "samples do not fit into room for ", weights.size());
  bool again = false;
  std::size_t i = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const Region pixel{region.x + column * step + step / 2, region.y + row * step + step / 2, 1, 1};
      weights[i++] = static_cast<std::uint16_t>(summer.sum(frame, pixel, again).weight);
      again = true;
    }
  }
}

// Rule: a LinearFilter or a WeightTable<std::uint16_t>.
template <class Rule>
class CpuSummer final : public Summer {
 public:
  CpuSummer(Rule rule, int threads) : rule_(std::move(rule)), threads_(threads) {}

  Sums sum(const Frame& frame, const Region& region, bool) override {
    return sum_cpu(frame, region, rule_, threads_);
  }
  Sums sum(const DeviceFrame&, const Region&, bool) override { refuse(); }
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
};

}  // namespace

void Summer::sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) {
  sample_by_sums(*this, frame, region, step, weights);
}

void Summer::sample(const DeviceFrame& frame, const Region& region, int step,
                    std::span<std::uint16_t> weights) {
  sample_by_sums(*this, frame, region, step, weights);
}

std::unique_ptr<Summer> make_cpu_summer(const Classifier& classifier, int threads) {
  if (const auto* filter = std::get_if<LinearFilter>(&classifier)) {
    fix(*filter);  // says now what is wrong with it
    return std::make_unique<CpuSummer<LinearFilter>>(*filter, threads);
  }
  return std::make_unique<CpuSummer<WeightTable<std::uint16_t>>>(
      WeightTable<std::uint16_t>(classifier, threads), threads);
}

}  // namespace triptych::skin_tracker
