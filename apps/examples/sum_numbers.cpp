// Reductions of an array on the best device of this machine: a GPU when there is one, else the CPU.
#include <triptych/reduction/reducer.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace triptych;

int main() {
  // A million samples of a sine wave, in ordinary host memory.
  std::vector<float> samples(1'000'000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = std::sin(1e-3f * static_cast<float>(i));

  // A reducer owns the memory that reductions need: create it once and use it often. The template arguments
  // of a sum are the accumulator and the element: here floats are added up in double.
  reduction::Reducer reducer(Device::best());
  const double sum = reducer.sum<double, float>(samples);
  const float max = reducer.max<float>(samples);
  const auto min = reducer.argmin<float>(samples);       // the smallest value and its index
  const auto moments = reducer.moments<float>(samples);  // count, mean and variance in one pass
  const double energy = reducer.dot<double, float>(samples, samples);

  std::printf("device    %s\n", reducer.device().describe().c_str());
  std::printf("sum       %.6f\n", sum);
  std::printf("maximum   %.6f\n", static_cast<double>(max));
  std::printf("minimum   %.6f at index %lld\n", static_cast<double>(min.value),
              static_cast<long long>(min.index));
  std::printf("mean      %.6f, variance %.6f\n", moments.mean, moments.variance());
  std::printf("energy    %.6f\n", energy);
}
