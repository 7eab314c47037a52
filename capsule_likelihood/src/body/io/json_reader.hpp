// JSON values that know where in the file they stand, for errors with a line.
#pragma once

#include <triptych/core/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triptych::capsule_likelihood::detail {

class JsonDocument;

// Empties a value from its leaves on: a destructor of nlohmann's library that meets a value with elements
// allocates, and ends the program when that fails.
template <class Value>
void clear_elements(Value& value) noexcept {
  if (!value.is_structured()) return;
  for (Value& element : value) clear_elements(element);
  value.clear();
}

// A value of a document. Where it stands is found when an error needs it.
class JsonValue {
 public:
  JsonValue(const JsonDocument& document, const Json& value) : document_(&document), value_(&value) {}

  // ParseError at this value's line.
  [[noreturn]] void fail(const std::string& reason) const;

  // ParseError unless this is an object without other keys.
  void expect_keys(std::initializer_list<std::string_view> keys) const;
  bool has(const std::string& key) const { return value_->is_object() && value_->contains(key); }
  // ParseError when it is missing.
  JsonValue at(const std::string& key) const;
  bool is_null() const { return value_->is_null(); }

  std::vector<JsonValue> elements() const;                         // of an array
  std::vector<std::pair<std::string, JsonValue>> members() const;  // of an object
  std::string text() const;
  // Finite also as a float.
  double number() const;
  std::vector<double> numbers(std::size_t count) const;

 private:
  const JsonDocument* document_;
  const Json* value_;
};

// Refers to the text, which must outlive it.
class JsonDocument {
 public:
  static constexpr std::int64_t max_values = 100'000;

  // ParseError with line and column when the text is not JSON, nested too deeply, or has more than
  // max_values values.
  JsonDocument(std::string_view text, std::string file);
  ~JsonDocument() { clear_elements(json_); }
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonValue root() const { return {*this, json_}; }
  // ParseError at the line in which the value begins, with its path ("/joints/3/name").
  [[noreturn]] void fail(const Json& value, const std::string& reason) const;

 private:
  std::string_view text_;
  std::string file_;
  Json json_;
};

}  // namespace triptych::capsule_likelihood::detail
