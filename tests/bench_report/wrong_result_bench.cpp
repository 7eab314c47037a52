// A bench with one wrong result: the runner must report an error in place of a time. The right one takes
// 1 us, half of what its bytes and three quarters of what its operations allow.
#include <stdexcept>

#include "support/runner.hpp"

namespace triptych::bench {
namespace {

void define(bool) {
  add("right", [] { return Measurement{{1, 1, 1}, 2, 4, 3000, 4000}; });
  add("wrong", []() -> Measurement { throw std::runtime_error("wrong sum: 3, expected 4"); });
}

}  // namespace

const Program program{"One right and one wrong result.", define};

}  // namespace triptych::bench
