// Example: an image with its landmarks, as files hold it, the synthetic faces make it and training takes it.
#pragma once

#include <triptych/aam_fit/shape.hpp>
#include <triptych/core/image.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace triptych::aam_fit {

struct Example {
  Image<Grey8> image;
  Shape landmarks;   // in its pixels
  std::string name;  // for errors
};

// stage: its name; done of total: stages of training (they take different times), or files while reading.
// Called from the calling thread.
using Progress = std::function<void(const std::string& stage, std::int64_t done, std::int64_t total)>;

}  // namespace triptych::aam_fit
