// TextScanner: reads words and numbers from a text; its errors have the line and the column.
#pragma once

#include <triptych/core/error.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace triptych {

// A word quoted for a message: shortened, with bytes that are not printable ASCII replaced by '?'.
inline std::string shown(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text(word.substr(0, longest));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return '"' + text + (word.size() > longest ? "...\"" : "\"");
}

class TextScanner {
 public:
  TextScanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // The next word (words are separated by whitespace), across lines; empty at the end.
  std::string_view word() {
    skip_space(true);
    return take_word();
  }
  // As word, but skips comments: from a word that begins with # to the end of the line.
  std::string_view word_past_comments() {
    std::string_view found = word();
    while (!found.empty() && found.front() == '#') {
      back();
      rest_of_line();
      found = word();
    }
    return found;
  }
  // As word, but empty at the end of the line.
  std::string_view word_in_line() {
    skip_space(false);
    return take_word();
  }
  // The rest of the line without leading and trailing whitespace; moves to its end.
  std::string_view rest_of_line() {
    skip_space(false);
    mark();
    std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    std::string_view rest = text_.substr(at_, end - at_);
    while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
    at_ = end;
    return rest;
  }
  // Moves back to the beginning of the last word.
  void back() {
    at_ = word_at_;
    line_ = word_line_;
    line_begin_ = word_line_begin_;
  }
  bool at_end() {
    skip_space(true);
    return at_ == text_.size();
  }
  std::size_t position() const { return at_; }
  std::int64_t line() const { return line_; }

  double number(const std::string& what) { return to_number(word(), what); }
  double number_in_line(const std::string& what) { return to_number(word_in_line(), what); }

  // A whole number of at least 0.
  std::int64_t count(const std::string& what) {
    const std::string_view found = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc() || end != found.data() + found.size() || value < 0) {
      fail("expected " + what + ", a whole number, found " + describe(found));
    }
    return value;
  }

  void expect(std::string_view expected) {
    const std::string_view found = word();
    if (found != expected) fail("expected \"" + std::string(expected) + "\", found " + describe(found));
  }

  double to_number(std::string_view found, const std::string& what) {
    std::string_view digits = found;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
        !std::isfinite(value)) {
      fail("expected " + what + ", a number, found " + describe(found));
    }
    return value;
  }

  static std::string describe(std::string_view word) { return word.empty() ? "the end" : shown(word); }

  // ParseError at the last word.
  [[noreturn]] void fail(const std::string& reason) const {
    throw ParseError(file_, word_line_, static_cast<std::int64_t>(word_at_ - word_line_begin_) + 1, reason);
  }

  static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
  }

 private:
  void skip_space(bool across_lines) {
    while (at_ < text_.size() && is_space(text_[at_])) {
      if (text_[at_] == '\n') {
        if (!across_lines) return;
        ++line_;
        line_begin_ = at_ + 1;
      }
      ++at_;
    }
  }
  std::string_view take_word() {
    mark();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void mark() {
    word_at_ = at_;
    word_line_ = line_;
    word_line_begin_ = line_begin_;
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0, line_begin_ = 0, word_at_ = 0, word_line_begin_ = 0;
  std::int64_t line_ = 1, word_line_ = 1;
};

}  // namespace triptych
