// The published versions of the calculation, and ours, as the demo runs them: one RGBA frame of the host
// after the other.
#pragma once

#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace triptych::skin_demo {

class Calculation {
 public:
  virtual ~Calculation() = default;
  // Where the frame's pixels go before locate(): width x height, contiguous.
  virtual Rgba8* pixels() = 0;
  virtual skin_tracker::Head locate() = 0;
  // For people: what runs, and where.
  virtual std::string describe() const = 0;
};

// By a variant's name. Unavailable when it needs a GPU and there is none; Error when it cannot use the
// classifier.
std::unique_ptr<Calculation> make_calculation(std::string_view variant,
                                              const skin_tracker::Classifier& classifier, int width,
                                              int height);

}  // namespace triptych::skin_demo
