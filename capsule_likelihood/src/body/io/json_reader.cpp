#include <triptych/core/error.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <cmath>

#include "body/io/json_reader.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

constexpr int deepest = 100;

// Walks a text that is known to be JSON and notes the line of every value.
class LineWalker {
 public:
  LineWalker(std::string_view text, std::map<std::string, std::int64_t, std::less<>>& lines)
      : text_(text), lines_(lines) {}

  void value(const std::string& path) {
    skip_space();
    lines_.emplace(path, line_);
    if (peek() == '{') {
      object(path);
    } else if (peek() == '[') {
      array(path);
    } else if (peek() == '"') {
      string();
    } else {
      while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos)
        ++at_;
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    for (; peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n'; ++at_)
      line_ += peek() == '\n';
  }
  // Escapes are not resolved: the known keys have none.
  std::string string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    ++at_;
    return std::string(text_.substr(begin, end - begin));
  }
  void object(const std::string& path) {
    ++at_;
    skip_space();
    while (peek() != '}' && peek() != '\0') {
      std::string inside = path + "/";
      inside += string();
      skip_space();
      ++at_;  // the colon
      value(inside);
      next();
    }
    ++at_;
  }
  void array(const std::string& path) {
    ++at_;
    skip_space();
    for (int i = 0; peek() != ']' && peek() != '\0'; ++i) {
      value(path + "/" + std::to_string(i));
      next();
    }
    ++at_;
  }
  void next() {
    skip_space();
    if (peek() == ',') ++at_;
    skip_space();
  }

  std::string_view text_;
  std::map<std::string, std::int64_t, std::less<>>& lines_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

// The parser and the walker call themselves: a text of a million brackets must not end the program.
void check_depth(std::string_view text, const std::string& file) {
  int depth = 0;
  std::int64_t line = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    line += c == '\n';
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) throw ParseError(file, line, 1, "nested more than 100 deep");
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text, std::string file) : file_(std::move(file)) {
  check_depth(text, file_);
  try {
    json_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before =
        text.substr(0, error.byte == 0 ? 0 : std::min(error.byte - 1, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = static_cast<std::int64_t>(before.size() - (before.rfind('\n') + 1)) + 1;
    throw ParseError(file_, line, column, error.what());
  } catch (const Json::exception& error) {
    throw ParseError(file_, 0, 0, error.what());
  }
  LineWalker(text, lines_).value("");
}

std::int64_t JsonDocument::line(const std::string& path) const {
  const auto found = lines_.find(path);
  return found == lines_.end() ? 0 : found->second;
}

void JsonValue::fail(const std::string& reason) const {
  const std::string where = path_.empty() ? std::string("the file") : shown(path_);
  throw ParseError(document_->file(), document_->line(path_), 1, where + ": " + reason);
}

void JsonValue::expect_keys(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) fail(std::string("expected an object, found ") + value_->type_name());
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(keys, key) == keys.end()) {
      JsonValue(*document_, value, path_ + "/" + key).fail("no such key is known");
    }
  }
}

JsonValue JsonValue::at(const std::string& key) const {
  if (!value_->is_object()) fail(std::string("expected an object, found ") + value_->type_name());
  const auto found = value_->find(key);
  if (found == value_->end()) fail("expected the key \"" + key + "\", which is missing");
  return {*document_, *found, path_ + "/" + key};
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!value_->is_array()) fail(std::string("expected a list, found ") + value_->type_name());
  std::vector<JsonValue> list;
  for (const Json& element : *value_)
    list.emplace_back(*document_, element, path_ + "/" + std::to_string(list.size()));
  return list;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) fail(std::string("expected an object, found ") + value_->type_name());
  std::vector<std::pair<std::string, JsonValue>> list;
  for (const auto& [key, value] : value_->items()) {
    list.emplace_back(key, JsonValue(*document_, value, path_ + "/" + key));
  }
  return list;
}

std::string JsonValue::text() const {
  if (!value_->is_string()) fail(std::string("expected a text, found ") + value_->type_name());
  return value_->get<std::string>();
}

double JsonValue::number() const {
  if (!value_->is_number()) fail(std::string("expected a number, found ") + value_->type_name());
  const auto number = value_->get<double>();
  if (!std::isfinite(static_cast<float>(number))) fail("the number is too large");
  return number;
}

std::vector<double> JsonValue::numbers(std::size_t count) const {
  const std::vector<JsonValue> list = elements();
  if (list.size() != count) {
    fail("expected " + std::to_string(count) + " numbers, found " + std::to_string(list.size()));
  }
  std::vector<double> numbers;
  numbers.reserve(count);
  for (const JsonValue& element : list) numbers.push_back(element.number());
  return numbers;
}

}  // namespace triptych::capsule_likelihood::detail
