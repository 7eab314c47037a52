// Two shared libraries with their own copies of Triptych, and a third copy here: each works, on several
// threads, and an error of each is caught by its type.
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include <cstdio>

double first_sum(int count);
double second_sum(int count);
void first_fail();
void second_fail();

namespace {

bool is_caught(void (*fail)()) {
  try {
    fail();
  } catch (const triptych::InvalidArgument&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  constexpr int count = 1 << 20;
  bool good = is_caught(first_fail) && is_caught(second_fail);
  triptych::parallel_for(0, 8, 2, [](std::int64_t i) {
    triptych::require((i % 2 == 0 ? first_sum : second_sum)(count) == count / 2, "a wrong sum in a library");
  });
  good = good && first_sum(count) == second_sum(count);
  std::printf("two libraries in one process: %s\n", good ? "good" : "wrong");
  return good ? 0 : 1;
}
