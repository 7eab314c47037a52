// Natural order of file names: frame2 before frame10.
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace triptych::apps {

inline bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](std::string_view s, std::size_t i) {
    return i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0;
  };
  // The digits from i on, without leading zeros; i moves behind them.
  const auto number = [&](std::string_view s, std::size_t& i) {
    while (digit(s, i) && s[i] == '0') ++i;
    const std::size_t begin = i;
    while (digit(s, i)) ++i;
    return s.substr(begin, i - begin);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a, i) && digit(b, j)) {
      const std::string_view m = number(a, i);
      const std::string_view n = number(b, j);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if ((i == a.size()) != (j == b.size())) return i == a.size();
  return a < b;
}

}  // namespace triptych::apps
