// Device::parse(): names of devices, as command lines have them.
#include <triptych/core/device.hpp>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::fuzz::only_errors([&] { triptych::Device::parse(triptych::fuzz::text_of(data, size)); });
  return 0;
}
