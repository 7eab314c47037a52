// No newer CCCL: TRIPTYCH_CCCL_DIR is empty.
#include "cub_peer.hpp"

namespace triptych::bench {

using Newer = CubPeer<CubVersion::newer>;

template <>
std::string Newer::version() {
  return {};
}
template <>
bool Newer::has_gpu_to_gpu() {
  return false;
}
template <>
template <class T>
std::unique_ptr<CubSum<T>> Newer::sum(std::int64_t, bool) {
  return nullptr;
}
template std::unique_ptr<CubSum<float>> Newer::sum<float>(std::int64_t, bool);
template std::unique_ptr<CubSum<double>> Newer::sum<double>(std::int64_t, bool);
template std::unique_ptr<CubSum<std::int32_t>> Newer::sum<std::int32_t>(std::int64_t, bool);
template std::unique_ptr<CubSum<std::int64_t>> Newer::sum<std::int64_t>(std::int64_t, bool);

}  // namespace triptych::bench
