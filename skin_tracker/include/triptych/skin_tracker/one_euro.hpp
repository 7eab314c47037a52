// The One-Euro filter of core, under the names of this module.
#pragma once

#include <triptych/core/one_euro.hpp>

namespace triptych::skin_tracker {

using triptych::OneEuro;
using triptych::OneEuroOptions;

}  // namespace triptych::skin_tracker
