// The check of a row plan before a launch.
#pragma once

#include <triptych/reduction/rows.hpp>

namespace triptych::reduction {

// InvalidArgument when there is no kernel for the plan, or the plan does not support that many rows.
void check_plan(std::int64_t rows, const RowPlan& plan);

}  // namespace triptych::reduction
