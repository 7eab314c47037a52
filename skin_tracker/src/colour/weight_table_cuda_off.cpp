// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>

namespace triptych::skin_tracker {

template <class T>
void build_table_cuda(const Classifier&, DeviceSpan<T>, StreamRef) {
  throw_cuda_unavailable("build_table_cuda");
}
template void build_table_cuda(const Classifier&, DeviceSpan<std::uint8_t>, StreamRef);
template void build_table_cuda(const Classifier&, DeviceSpan<std::uint16_t>, StreamRef);
template void build_table_cuda(const Classifier&, DeviceSpan<float>, StreamRef);

}  // namespace triptych::skin_tracker
