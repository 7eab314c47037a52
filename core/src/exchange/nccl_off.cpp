// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/nccl_exchange.hpp>

namespace triptych {

std::string nccl_unavailable_reason() { return cuda_unavailable_reason(); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of the build with CUDA
std::shared_ptr<Exchange> make_nccl_exchange(std::shared_ptr<Exchange>, const Device&,
                                             std::chrono::milliseconds) {
  throw_cuda_unavailable("make_nccl_exchange");
}

}  // namespace triptych
