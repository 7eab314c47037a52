// The weights of moments() and locate(): a plane, or a table of the weight of every colour.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <variant>

#include "skin.hpp"

namespace triptych::python {

// A table of 16-bit weights on the host, and a copy on each GPU where it was used.
class ColourTable {
 public:
  explicit ColourTable(const skin_tracker::Classifier& classifier, int threads = 0)
      : host_(classifier, threads) {}
  explicit ColourTable(std::vector<std::uint16_t> weights) : host_(std::move(weights)) {}

  const skin_tracker::WeightTable<std::uint16_t>& host() const { return host_; }
  // Copies the table to that GPU when it is not there yet, and waits for the copy.
  DeviceSpan<const std::uint16_t> device(int ordinal);

 private:
  skin_tracker::WeightTable<std::uint16_t> host_;
  std::mutex mutex_;
  std::map<int, DeviceBuffer<std::uint16_t>> devices_;
};

// Either; the table of another classifier is built here. Touches Python objects only in its constructor.
class PixelWeightsArgument {
 public:
  PixelWeightsArgument(nb::handle classifier, int threads);

  // function(const LinearFilter&) or function(ColourTable&)
  template <class Function>
  auto visit(Function&& function) const {
    return table_ == nullptr ? function(filter_) : function(*table_);
  }

 private:
  skin_tracker::LinearFilter filter_;
  ColourTable* table_ = nullptr;
  std::unique_ptr<ColourTable> own_;
};

void bind_weight_table(nb::module_& m);

}  // namespace triptych::python
