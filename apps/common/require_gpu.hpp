// For demos whose user asked for a GPU.
#pragma once

#include <string>

namespace triptych::apps {

// Unavailable, "<wish> needs a GPU: <reason>; <advice>", when there is none.
void require_gpu(const std::string& wish, const std::string& advice);

}  // namespace triptych::apps
