#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>

#include "text.hpp"

namespace triptych::report {

namespace {

// How many bytes the UTF-8 character at the front of text takes; 0 when it is none that may be printed.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool control = code < 0xa0;
  const bool forbidden = (code & 0xfffe) == 0xfffe || code > 0x10ffff;
  return code < smallest[length] || surrogate || control || forbidden ? 0 : length;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string fixed(double value, int decimals) {
  std::array<char, 400> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals);
  std::string text(digits.data(), end.ptr);
  return text.find_first_not_of("-0.") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  // 9.996 has the exponent 0 but is printed as 10.0.
  if (std::abs(value) / std::pow(10.0, exponent) >= 9.995) ++exponent;
  if (exponent <= 2) return fixed(value, 2 - exponent);
  const double unit = std::pow(10.0, exponent - 2);
  return fixed(std::round(value / unit) * unit, 0);
}

std::int64_t parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0 ? count : 0;
}

int exact_log2(std::int64_t n) {
  const auto bits = static_cast<std::uint64_t>(n);
  return n > 0 && std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
}

std::string size_text(std::int64_t n) {
  const int power = exact_log2(n);
  return power >= 0 ? "2^" + std::to_string(power) : std::to_string(n);
}

std::string rate_text(double gigabytes_per_s) {
  return gigabytes_per_s < 999.5 ? three_digits(gigabytes_per_s) + " GB/s"
                                 : three_digits(gigabytes_per_s / 1000) + " TB/s";
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    result += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string escape_markdown(std::string_view text) {
  const std::string clean = printable(text);
  std::string result;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const bool inside_word = i > 0 && i + 1 < clean.size() && is_word(clean[i - 1]) && is_word(clean[i + 1]);
    const bool special = std::string_view("\\`*<>[]|&~#$!").find(clean[i]) != std::string_view::npos;
    if (special || (clean[i] == '_' && !inside_word)) result += '\\';
    result += clean[i];
  }
  return result;
}

std::string without_folders(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    const std::size_t root = word.find_first_not_of("\"'(=");
    if (root != std::string_view::npos && word[root] == '/') {
      result += word.substr(0, root);
      word.remove_prefix(word.rfind('/') + 1);
    }
    result += word;
    if (end == std::string_view::npos) break;
    result += ' ';
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace triptych::report
