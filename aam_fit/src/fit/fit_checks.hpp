// Checks that both twins of the fit share.
#pragma once

#include <triptych/aam_fit/fit.hpp>

namespace triptych::aam_fit {

void check_storage(Storage storage);
// InvalidArgument when a number makes no sense. 0 iterations: the error at the start alone.
void check_options(const FitOptions& options);

}  // namespace triptych::aam_fit
