#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace triptych {

namespace {

// The message of the parser without its error number and position.
std::string reason_of(const Json::parse_error& error) {
  const std::string message = error.what();
  const auto colon = message.find(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

}  // namespace

Json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // error.byte counts from 1 and is the last byte read: one past the end when the text is incomplete.
    const std::string_view before = std::string_view(text).substr(0, error.byte == 0 ? 0 : error.byte - 1);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = static_cast<std::int64_t>(before.size() - (before.rfind('\n') + 1)) + 1;
    throw ParseError(path.string(), line, column, "not JSON: " + reason_of(error));
  } catch (const Json::exception& error) {
    throw ParseError(path.string(), 0, 0, error.what());
  }
}

void write_json(const std::filesystem::path& path, const Json& json) {
  std::string text;
  try {
    text = json.dump(2);
  } catch (const Json::exception& error) {
    throw InvalidArgument("cannot write " + path.string() + " as JSON: " + error.what());
  }
  write_file_atomically(path, text + '\n');
}

namespace detail {

const Json& member(const Json& json, std::string_view name, const std::string& context) {
  const std::string key(name);
  if (!json.is_object()) {
    throw ParseError(context, 0, 0,
                     "expected an object with the key \"" + key + "\", found " + json.type_name());
  }
  const auto found = json.find(key);
  if (found == json.end())
    throw ParseError(context, 0, 0, "expected the key \"" + key + "\", which is missing");
  return *found;
}

void throw_unexpected(const Json& found, const std::string& key, const std::string& context,
                      const std::string& expected) {
  constexpr std::size_t longest = 40;
  std::string text = found.is_primitive() ? found.dump(-1, ' ', true, Json::error_handler_t::replace)
                                          : std::string("an ") + found.type_name();
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  throw ParseError(context, 0, 0, "expected \"" + key + "\" to be " + expected + ", found " + text);
}

}  // namespace detail

}  // namespace triptych
