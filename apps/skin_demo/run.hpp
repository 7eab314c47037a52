// skin_demo's work: frames in, the head followed, pictures and numbers out.
#pragma once

#include "options.hpp"

namespace triptych::skin_demo {

inline constexpr const char* program_name = "skin_demo";

void run(const Options& options);

}  // namespace triptych::skin_demo
