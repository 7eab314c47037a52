// The Exchange of processes with a GPU each, by NCCL: sums of values in device memory that a graph can
// capture. libnccl.so.2 is loaded at run time, by make_nccl_exchange() alone.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/core/exchange.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace triptych {

// Empty when NCCL can be loaded and there is a GPU; else the reason.
std::string nccl_unavailable_reason();

// Collective over the ranks of host, which share NCCL's unique identifier through it; each must use another
// GPU. host serves sum(), gather() and broadcast() of host memory, and lives as long as the result. wait()
// polls until the time-out, then aborts the sums on the device: the exchange is broken, the GPU usable.
// Unavailable, on all ranks, without CUDA, a GPU or NCCL; Error when NCCL fails, for example because two
// ranks use one GPU.
std::shared_ptr<Exchange> make_nccl_exchange(std::shared_ptr<Exchange> host, const Device& device,
                                             std::chrono::milliseconds timeout = default_exchange_timeout);

}  // namespace triptych
