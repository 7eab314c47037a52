// The commands batch and merge of capsule_demo.
#pragma once

#include <common/batch.hpp>

namespace triptych::capsule_demo {

apps::BatchProgram batch_program();

}  // namespace triptych::capsule_demo
