#include <triptych/core/device_guard.hpp>

#include <string>
#include <vector>

#include "../compute.hpp"
#include "../streams.hpp"
#include "values.hpp"
#include "weights.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;
using Table = WeightTable<std::uint16_t>;

nb::object view_of(const nb::object& object) {
  const auto& self = nb::cast<const ColourTable&>(object);
  return nb::cast(
      nb::ndarray<nb::numpy, const std::uint16_t>(self.host().weights().data(), {256, 256, 256}, object));
}

}  // namespace

DeviceSpan<const std::uint16_t> ColourTable::device(int ordinal) {
  const std::lock_guard lock(mutex_);
  auto at = devices_.find(ordinal);
  if (at == devices_.end()) {
    const DeviceGuard guard(ordinal);
    DeviceBuffer<std::uint16_t> buffer(static_cast<std::int64_t>(Table::colours));
    const StreamRef stream = import_stream(ordinal);
    copy_to_device(host_.weights(), buffer.span(), stream);
    stream.synchronize();
    at = devices_.emplace(ordinal, std::move(buffer)).first;
  }
  return DeviceSpan<const std::uint16_t>(at->second.data(), at->second.size());
}

PixelWeightsArgument::PixelWeightsArgument(nb::handle classifier, int threads) {
  if (nb::isinstance<LinearFilter>(classifier)) {
    filter_ = nb::cast<const LinearFilter&>(classifier);
  } else if (nb::isinstance<ColourTable>(classifier)) {
    table_ = nb::cast<ColourTable*>(classifier);
  } else {
    const Classifier by = classifier_of(classifier, "classifier");
    if (const auto* const filter = std::get_if<LinearFilter>(&by)) {
      filter_ = *filter;
    } else {
      own_ = compute([&] { return std::make_unique<ColourTable>(by, threads); });
      table_ = own_.get();
    }
  }
}

void bind_weight_table(nb::module_& m) {
  auto type = nb::class_<ColourTable>(
      m, "WeightTable",
      "The weight (0 .. 65535) of each of the 2 ** 24 colours, 32 MiB: any classifier then takes one look-up "
      "per pixel.\n\n"
      "For moments(), locate() and moments_batch(), which build such a table in each call when they are "
      "given "
      "a classifier that is no\n"
      "LinearFilter. It is copied to a GPU when it is first used there.");
  type.def(
          "__init__",
          [](ColourTable* self, nb::handle classifier, Whole<"threads"> threads) {
            const Classifier by = classifier_of(classifier, "classifier");
            compute([&] { new (self) ColourTable(by, threads); });
          },
          nb::arg("classifier").none(), nb::kw_only(), nb::arg("threads") = 0,
          nb::sig("def __init__(self, classifier: Classifier | Calibration, *, threads: int = 0) -> None"),
          "Evaluates the classifier for every colour. threads: 0 means all cores.")
      .def_prop_ro("weights", &view_of, nb::sig("def weights(self) -> numpy.ndarray"),
                   "(256, 256, 256) uint16 over red, green and blue; a read-only view.")
      .def(
          "__array__",
          [](const nb::object& self, nb::handle dtype, nb::handle) {
            const nb::object array = view_of(self);
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) "
              "-> numpy.ndarray"))
      .def("__getstate__", [](const nb::object& self) { return nb::make_tuple(view_of(self)); })
      .def("__setstate__",
           [](ColourTable& self, const nb::tuple& state) {
             const Array array(state[0], "weights");
             array.require_on_host();
             const auto* const first = array.contiguous<std::uint16_t>();
             new (&self) ColourTable(std::vector<std::uint16_t>(first, first + array.size()));
           })
      .def("__repr__", [](const ColourTable&) { return "WeightTable(16-bit weights of 2 ** 24 colours)"; });
  bind_equal(type, [](const ColourTable& a, const ColourTable& b) {
    return std::equal(a.host().weights().begin(), a.host().weights().end(), b.host().weights().begin());
  });
  type.attr("__hash__") = nb::none();
}

}  // namespace triptych::python
