// A shared library of the consumer that links Triptych::reduction. NAME is the prefix of its functions.
#include <triptych/core/error.hpp>
#include <triptych/reduction/reduce.hpp>

#include <span>
#include <vector>

#define JOIN_NAMES(a, b) a##b
#define FUNCTION(a, b) JOIN_NAMES(a, b)
#define EXPORT __attribute__((visibility("default")))

using namespace triptych;

EXPORT double FUNCTION(NAME, _sum)(int count) {
  const std::vector<float> values(static_cast<std::size_t>(count), 0.5F);
  return reduction::sum_cpu<double, float>(values,
                                           {.strategy = reduction::CpuStrategy::threads, .threads = 3});
}

EXPORT void FUNCTION(NAME, _fail)() { throw InvalidArgument("thrown in a shared library"); }
