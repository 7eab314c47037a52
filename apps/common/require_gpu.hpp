// A check for demos whose user selected a GPU.
#pragma once

#include <string>

namespace triptych::apps {

// Throws Unavailable, "<wish> needs a GPU: <reason>; <advice>", when there is no GPU.
void require_gpu(const std::string& wish, const std::string& advice);

}  // namespace triptych::apps
