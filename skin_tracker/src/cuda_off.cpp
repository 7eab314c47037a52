// The CUDA forms in a build without CUDA: they link, and say why they cannot run.
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>
#include <triptych/skin_tracker/variants.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <string>

#include "summer.hpp"

namespace triptych::skin_tracker {

namespace {

[[noreturn]] void unavailable(const char* name) {
  throw Unavailable(std::string(name) + ": " + cuda_unavailable_reason() + ": use the CPU form");
}

}  // namespace

void sum_cuda(const DeviceFrame&, const Region&, const LinearFilter&, Sums*, const reduction::Options&,
              Workspace&, StreamRef) {
  unavailable("sum_cuda");
}

void sum_cuda(const DeviceFrame&, const Region&, DeviceSpan<const std::uint16_t>, Sums*,
              const reduction::Options&, Workspace&, StreamRef) {
  unavailable("sum_cuda");
}

void sum_batch_cuda(std::span<const DeviceFrame>, const LinearFilter&, Sums*, Workspace&, StreamRef) {
  unavailable("sum_batch_cuda");
}

void sum_gpu_variant(Variant, DeviceImageView<const Rgba8>, const LinearFilter&, FloatSums*, Workspace&,
                     StreamRef) {
  unavailable("sum_gpu_variant");
}

template <class T>
void build_table_cuda(const Classifier&, DeviceSpan<T>, StreamRef) {
  unavailable("build_table_cuda");
}
template void build_table_cuda(const Classifier&, DeviceSpan<std::uint8_t>, StreamRef);
template void build_table_cuda(const Classifier&, DeviceSpan<std::uint16_t>, StreamRef);
template void build_table_cuda(const Classifier&, DeviceSpan<float>, StreamRef);

std::unique_ptr<Summer> make_cuda_summer(const Classifier&, FrameFormat, int, int, int, int) {
  unavailable("tracking on a GPU");
}

std::unique_ptr<Summer> make_joint_summer(const Classifier&, FrameFormat, int, int, int, int, double) {
  unavailable("tracking on CPU and GPU together");
}

}  // namespace triptych::skin_tracker
