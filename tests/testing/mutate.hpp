// Damaged copies of a valid text, for tests of parsers.
#pragma once

#include <triptych/core/philox.hpp>

#include <cstdint>
#include <string>

namespace triptych::test {

// One to four edits: a byte changed, some bytes removed, a part repeated elsewhere, the end removed.
inline std::string mutated(const std::string& original, std::uint64_t seed) {
  std::string text = original;
  PhiloxStream random(seed, 1);
  const int edits = 1 + static_cast<int>(random.next() % 4);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = random.next() % text.size(), length = random.next() % 12;
    switch (random.next() % 4) {
      case 0:
        text[at] = static_cast<char>(random.next());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, original.substr(random.next() % original.size(), length));
        break;
      default:
        if (random.next() % 4 == 0) text.resize(at);
    }
  }
  return text;
}

}  // namespace triptych::test
