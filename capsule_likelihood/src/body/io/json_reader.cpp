#include <triptych/core/error.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "body/io/json_reader.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

constexpr int deepest = 100;

// The keys and indices that lead from one value to another, the last one first. False when it is not there.
bool find_path(const Json& from, const Json& to, std::vector<std::string>& path) {
  if (&from == &to) return true;
  if (!from.is_structured()) return false;
  for (auto member = from.begin(); member != from.end(); ++member) {
    if (!find_path(*member, to, path)) continue;
    path.push_back(from.is_object() ? member.key() : std::to_string(member - from.begin()));
    return true;
  }
  return false;
}

// Walks a text that is known to be JSON to the value at a path.
class LineWalker {
 public:
  explicit LineWalker(std::string_view text) : text_(text) {}

  // The line in which the value begins; 0 when it is not found. path: the last key first.
  std::int64_t line_of(std::span<const std::string> path) {
    skip_space();
    if (path.empty()) return line_;
    const bool is_object = peek() == '{';
    if (!is_object && peek() != '[') return 0;
    ++at_;
    skip_space();
    for (std::int64_t i = 0; peek() != '}' && peek() != ']' && peek() != '\0'; ++i) {
      const bool found = is_object ? key() == path.back() : std::to_string(i) == path.back();
      if (found) return line_of(path.first(path.size() - 1));
      skip_value();
      next();
    }
    return 0;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    for (; peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n'; ++at_)
      line_ += peek() == '\n';
  }
  // Escapes are not resolved: the known keys have none.
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    ++at_;
    return text_.substr(begin, end - begin);
  }
  std::string_view key() {
    const std::string_view name = string();
    skip_space();
    ++at_;  // the colon
    return name;
  }
  // Up to the comma or bracket that ends the value.
  void skip_value() {
    for (int depth = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        string();
        --at_;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
        return;
      } else if (c == ']' || c == '}') {
        --depth;
      }
      line_ += c == '\n';
    }
  }
  void next() {
    if (peek() == ',') ++at_;
    skip_space();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

// Before parsing: the parser calls itself, so a text of a million brackets must not end the program, and a
// value of two bytes takes fifty in memory.
void check_extent(std::string_view text, const std::string& file) {
  int depth = 0;
  std::int64_t line = 1, values = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    line += c == '\n';
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    quoted = c == '"';
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    values += c == '[' || c == '{' || c == ',';
    if (depth > deepest) throw ParseError(file, line, 1, "nested more than 100 deep");
    if (values > JsonDocument::max_values) {
      throw ParseError(file, line, 1, "more than " + std::to_string(JsonDocument::max_values) + " values");
    }
  }
}

// A parser's message may hold a whole token.
std::string shortened(std::string message) {
  constexpr std::size_t longest = 200;
  if (message.size() > longest) message = message.substr(0, longest) + " ...";
  return message;
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  check_extent(text, file_);
  try {
    json_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before =
        text.substr(0, error.byte == 0 ? 0 : std::min(error.byte - 1, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = static_cast<std::int64_t>(before.size() - (before.rfind('\n') + 1)) + 1;
    throw ParseError(file_, line, column, shortened(error.what()));
  } catch (const Json::exception& error) {
    throw ParseError(file_, 0, 0, shortened(error.what()));
  }
}

void JsonDocument::fail(const Json& value, const std::string& reason) const {
  std::vector<std::string> keys;
  find_path(json_, value, keys);
  std::string path;
  for (std::size_t i = keys.size(); i-- > 0;) path += '/' + keys[i];
  const std::string where = keys.empty() ? std::string("the file") : shown(path);
  throw ParseError(file_, LineWalker(text_).line_of(keys), 1, where + ": " + reason);
}

void JsonValue::fail(const std::string& reason) const { document_->fail(*value_, reason); }

void JsonValue::expect_keys(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) fail(std::string("expected an object, found ") + value_->type_name());
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(keys, key) == keys.end()) {
      JsonValue(*document_, value).fail("no such key is known");
    }
  }
}

JsonValue JsonValue::at(const std::string& key) const {
  if (!value_->is_object()) fail(std::string("expected an object, found ") + value_->type_name());
  const auto found = value_->find(key);
  if (found == value_->end()) fail("expected the key \"" + key + "\", which is missing");
  return {*document_, *found};
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!value_->is_array()) fail(std::string("expected a list, found ") + value_->type_name());
  std::vector<JsonValue> list;
  list.reserve(value_->size());
  for (const Json& element : *value_) list.emplace_back(*document_, element);
  return list;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) fail(std::string("expected an object, found ") + value_->type_name());
  std::vector<std::pair<std::string, JsonValue>> list;
  for (const auto& [key, value] : value_->items()) {
    list.emplace_back(key, JsonValue(*document_, value));
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
  if (!(std::abs(number) <= double{std::numeric_limits<float>::max()})) fail("the number is too large");
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
