// A weight for each of the 2^24 colours: any classifier then costs one look-up a pixel.
#pragma once

#include <triptych/core/pixel.hpp>
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

  // Asks the classifier for every colour, on so many threads (0: all cores).
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

}  // namespace triptych::skin_tracker
