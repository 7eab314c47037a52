// JSON values that know where in the file they stand, for errors with a line.
#pragma once

#include <triptych/core/json.hpp>

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood::detail {

class JsonDocument;

// A value of a document, with its path ("/joints/3/name").
class JsonValue {
 public:
  JsonValue(const JsonDocument& document, const Json& value, std::string path)
      : document_(&document), value_(&value), path_(std::move(path)) {}

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
  std::string path_;
};

class JsonDocument {
 public:
  // ParseError with line and column when the text is not JSON, or nested too deeply.
  JsonDocument(std::string_view text, std::string file);

  JsonValue root() const { return {*this, json_, ""}; }
  const std::string& file() const { return file_; }
  // The line in which the value at a path begins; 0 when it is not known.
  std::int64_t line(const std::string& path) const;

 private:
  std::string file_;
  Json json_;
  std::map<std::string, std::int64_t, std::less<>> lines_;
};

}  // namespace triptych::capsule_likelihood::detail
