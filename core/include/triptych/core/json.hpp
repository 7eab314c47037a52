// JSON files, with errors that name the position or the key. Json is nlohmann::json.
#pragma once

#include <nlohmann/json.hpp>

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace triptych {

using Json = nlohmann::json;

// Error when the file cannot be read; ParseError with line and column when it is not JSON.
Json read_json(const std::filesystem::path& path);

// Indented by two, replaced atomically (see write_file_atomically). Numbers that are not finite become null.
// InvalidArgument when a string is not UTF-8, Error when the file cannot be written.
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

}  // namespace detail

// The member json[key] as a T. ParseError, with context (such as the file) as its file, when the key is
// missing or its value is not a T. An integer must be written without a fraction and fit into T.
template <class T>
T at(const Json& json, const std::string& key, const std::string& context) {
  const Json& value = detail::member(json, key, context);
  const auto expect = [&](bool fits, const char* expected) {
    if (!fits) detail::throw_unexpected(value, key, context, expected);
  };
  if constexpr (std::is_same_v<T, bool>) {
    expect(value.is_boolean(), "true or false");
  } else if constexpr (std::is_integral_v<T>) {
    expect(detail::is_integer_in_range<T>(value),
           std::is_signed_v<T> ? "an integer in range" : "an integer in range, not negative");
  } else if constexpr (std::is_floating_point_v<T>) {
    expect(value.is_number(), "a number");
  } else if constexpr (std::is_same_v<T, std::string>) {
    expect(value.is_string(), "a string");
  }
  try {
    return value.get<T>();
  } catch (const Json::exception& error) {
    detail::throw_unexpected(value, key, context, std::string("of the right kind (") + error.what() + ")");
  }
}

}  // namespace triptych
