// JSON files, with errors that name the position or the key. Json is nlohmann::json.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace triptych {

using Json = nlohmann::json;

// The largest JSON file (64 MiB: a parsed value takes up to 30 times its text) and the deepest nesting of
// arrays and objects (copies and comparisons of a Json recurse).
inline constexpr std::int64_t max_json_bytes = std::int64_t{1} << 26;
inline constexpr int max_json_depth = 256;

// Error when the file cannot be read or is larger than max_json_bytes; ParseError with line and column when
// it is not JSON or nested deeper than max_json_depth.
Json read_json(const std::filesystem::path& path);

// Indented by two, replaced atomically (see write_file_atomically). Numbers that are not finite become null.
// InvalidArgument when a string is not UTF-8 or the nesting is deeper than max_json_depth, Error when the
// file cannot be written.
void write_json(const std::filesystem::path& path, const Json& json);

namespace detail {

// The member of that key; ParseError(context) when json is not an object or does not have the key.
const Json& member(const Json& json, std::string_view key, const std::string& context);
[[noreturn]] void throw_unexpected(const Json& found, const std::string& key, const std::string& context,
                                   const std::string& expected);

template <std::integral T>
bool is_integer_in_range(const Json& value) {
  if (value.is_number_unsigned()) return std::in_range<T>(value.get<Json::number_unsigned_t>());
  return value.is_number_integer() && std::in_range<T>(value.get<Json::number_integer_t>());
}

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
T value_as(const Json& value, const std::string& key, const std::string& context) {
  const auto expect = [&](bool fits, const char* expected) {
    if (!fits) throw_unexpected(value, key, context, expected);
  };
  if constexpr (IsVector<T>::value) {
    expect(value.is_array(), "an array");
    T elements;
    elements.reserve(value.size());
    for (const Json& element : value) {
      elements.push_back(value_as<typename T::value_type>(element, key, context));
    }
    return elements;
  } else if constexpr (std::is_same_v<T, bool>) {
    expect(value.is_boolean(), "true or false");
  } else if constexpr (std::is_integral_v<T>) {
    expect(is_integer_in_range<T>(value),
           std::is_signed_v<T> ? "an integer in range" : "an integer in range, not negative");
  } else if constexpr (std::is_floating_point_v<T>) {
    expect(value.is_number(), "a number");
    expect(std::abs(value.get<double>()) <= double{std::numeric_limits<T>::max()}, "a number in range");
  } else {
    static_assert(std::is_same_v<T, std::string>, "a number, a bool, a string, or a vector of these");
    expect(value.is_string(), "a string");
  }
  if constexpr (!IsVector<T>::value) return value.get<T>();
}

}  // namespace detail

// The member json[key] as a number, a bool, a string, or a vector of these. ParseError, with context (such as
// the file) as its file, when the key is missing or its value is not a T. An integer must be written without
// a fraction; a number must fit into T.
template <class T>
T at(const Json& json, const std::string& key, const std::string& context) {
  return detail::value_as<T>(detail::member(json, key, context), key, context);
}

}  // namespace triptych
