// A build without CUDA.
#include "limits.hpp"

namespace triptych::bench {

std::string cccl_version() { return {}; }

}  // namespace triptych::bench
