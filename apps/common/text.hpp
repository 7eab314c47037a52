// Formats numbers, and parses lists of numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace triptych::apps {

// As printf; at most 255 characters.
template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[256];
  const int length = std::snprintf(buffer, sizeof(buffer), format, values...);
  return {buffer, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof(buffer) - 1))};
}

// Parses "1,2.5,3" (separator ','); empty when the text is no such list.
inline std::vector<double> numbers(std::string_view list, char separator) {
  std::vector<double> values;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (true) {
    double value = 0;
    const auto [next, problem] = std::from_chars(at, end, value);
    if (problem != std::errc()) return {};
    values.push_back(value);
    if (next == end) return values;
    if (*next != separator) return {};
    at = next + 1;
  }
}

}  // namespace triptych::apps
