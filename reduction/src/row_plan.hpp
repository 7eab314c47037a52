// The check of a plan, before anything is launched by it.
#pragma once

#include <triptych/reduction/rows.hpp>

namespace triptych::reduction {

// InvalidArgument when no kernel goes by this plan, or it cannot serve that many rows.
void check_plan(std::int64_t rows, const RowPlan& plan);

}  // namespace triptych::reduction
