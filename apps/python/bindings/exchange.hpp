// Exchange: the ranks that share a filter, from Python.
#pragma once

#include <triptych/core/exchange.hpp>

#include <nanobind/nanobind.h>

#include <memory>

namespace triptych::python {

namespace nb = nanobind;

// An Exchange, or any object with rank, size, sum(), gather() and broadcast(); null for None. InvalidArgument
// for any other.
std::shared_ptr<Exchange> exchange_of(nb::handle object);
// The object of exchange_of().
nb::object object_of(const std::shared_ptr<Exchange>& exchange);

}  // namespace triptych::python
