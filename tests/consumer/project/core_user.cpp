// Uses Triptych::core and nothing else: says where it would run.
#include <triptych/core/device.hpp>

#include <cstdio>

static_assert(TRIPTYCH_HAS_CUDA == EXPECT_CUDA,
              "the library was built for something else than the test expects");

int main() {
  std::printf("built with CUDA: %d; best device: %s\n", triptych::built_with_cuda(),
              triptych::Device::best().describe().c_str());
  return triptych::built_with_cuda() == static_cast<bool>(EXPECT_CUDA) ? 0 : 1;
}
