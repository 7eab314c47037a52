// Uses Triptych::reduction, and through it core: a sum on the best device there is. Built by a plain C++
// compiler, it links the CUDA code too when the library has it.
#include <triptych/core/device.hpp>
#include <triptych/reduction/reducer.hpp>

#include <cstdio>
#include <span>
#include <vector>

int main() {
  const std::vector<float> samples(1000, 0.5F);
  triptych::reduction::Reducer reducer(triptych::Device::best());
  const double total = reducer.sum<double, float>(std::span<const float>(samples));
  std::printf("the sum on %s is %g\n", reducer.device().describe().c_str(), total);
  return total == 500.0 ? 0 : 1;
}
