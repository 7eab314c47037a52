#include <triptych/core/checked.hpp>

namespace triptych {

std::int64_t checked_multiply(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t product = 0;
  require(!__builtin_mul_overflow(a, b, &product), what, " overflows 64 bits: ", a, " * ", b);
  return product;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t sum = 0;
  require(!__builtin_add_overflow(a, b, &sum), what, " overflows 64 bits: ", a, " + ", b);
  return sum;
}

}  // namespace triptych
