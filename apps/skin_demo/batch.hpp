// The commands batch and merge of skin_demo.
#pragma once

#include <common/batch.hpp>

namespace triptych::skin_demo {

apps::BatchProgram batch_program();

}  // namespace triptych::skin_demo
