// skin_demo evaluate: how well a classifier tells skin from other colours.
#pragma once

#include "options.hpp"

namespace triptych::skin_demo {

void evaluate(const Options& options);

}  // namespace triptych::skin_demo
