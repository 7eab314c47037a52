// A weight for each of the 2^24 colours: every classifier then takes one look-up per pixel.
#pragma once

#include <triptych/core/pixel.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triptych::skin_tracker {

// T: std::uint8_t (0 .. 255), std::uint16_t (0 .. fixed_one) or float (0 .. 1); 16, 32 or 64 MiB.
template <class T>
class WeightTable {
 public:
  static constexpr std::size_t colours = std::size_t{1} << 24;

  // Evaluates the classifier for every colour. threads 0: all cores.
  explicit WeightTable(const Classifier& classifier, int threads = 0);
  // InvalidArgument unless there are `colours` weights.
  explicit WeightTable(std::vector<T> weights);

  static constexpr std::size_t index(Rgb8 c) { return std::size_t{c.r} << 16 | std::size_t{c.g} << 8 | c.b; }
  T operator[](Rgb8 c) const { return weights_[index(c)]; }
  std::span<const T> weights() const { return weights_; }

 private:
  std::vector<T> weights_;
};

extern template class WeightTable<std::uint8_t>;
extern template class WeightTable<std::uint16_t>;
extern template class WeightTable<float>;

// The weights of WeightTable<T>(classifier), computed on the GPU. Enqueues and returns: the weights are valid
// when the stream has finished the call. Allocates nothing; can be captured in a graph. The classifier is not
// used after the call.
//
// A histogram's cells are copied first. For a histogram the call allocates device memory, waits for the
// stream and frees the memory before it returns; it is refused while the stream is capturing.
//
// A linear filter, an ellipse and a histogram have the bits of the CPU's table. exp of a Gaussian pair is
// rounded differently on a GPU: a few weights may differ, integers by one step, floats by one unit in the
// last place. In hsv this also applies to sin and cos; the bound holds while no precision matrix has an
// eigenvalue above 2^20, as those from training.
//
// T as above. InvalidArgument unless there are `colours` weights and their address is a multiple of 16;
// Unavailable in a build without CUDA.
template <class T>
void build_table_cuda(const Classifier& classifier, DeviceSpan<T> weights_on_device, StreamRef stream);

}  // namespace triptych::skin_tracker
