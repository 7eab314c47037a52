// The commands batch and merge of aam_demo.
#pragma once

#include <common/batch.hpp>

namespace triptych::aam_demo {

apps::BatchProgram batch_program();

}  // namespace triptych::aam_demo
