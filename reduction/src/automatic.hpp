// What Strategy::automatic stands for once something was measured on a device.
#pragma once

#include <triptych/reduction/strategy.hpp>

#include <cstdint>

namespace triptych::reduction {

// From now on automatic means `strategy` for ranges of the size class of `bytes` on CUDA device `device`.
void set_automatic(int device, std::int64_t bytes, Strategy strategy);

// The ordinal of the current CUDA device.
int current_device();

}  // namespace triptych::reduction
