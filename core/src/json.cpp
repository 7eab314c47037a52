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

// The position of the first bracket that is nested deeper than max_json_depth; npos when there is none.
std::size_t find_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if ((c == '[' || c == '{') && ++depth > max_json_depth) {
      return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

bool is_deeper_than(const Json& json, int depth) {
  if (!json.is_structured()) return false;
  return depth == 0 ||
         std::any_of(json.begin(), json.end(), [&](const Json& e) { return is_deeper_than(e, depth - 1); });
}

std::string too_deep() { return "nested deeper than " + std::to_string(max_json_depth) + " levels"; }

[[noreturn]] void throw_at(const std::filesystem::path& path, std::string_view before,
                           const std::string& what) {
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto column = static_cast<std::int64_t>(before.size() - (before.rfind('\n') + 1)) + 1;
  throw ParseError(path.string(), line, column, what);
}

}  // namespace

Json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path, max_json_bytes);
  const std::string_view view = text;
  const std::size_t deep = find_too_deep(view);
  if (deep != std::string_view::npos) throw_at(path, view.substr(0, deep), too_deep());
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // error.byte counts from 1 and is the last byte read: one past the end when the text is incomplete.
    throw_at(path, view.substr(0, error.byte == 0 ? 0 : error.byte - 1), "not JSON: " + reason_of(error));
  } catch (const Json::exception& error) {
    throw ParseError(path.string(), 0, 0, error.what());
  }
}

void write_json(const std::filesystem::path& path, const Json& json) {
  require(!is_deeper_than(json, max_json_depth), "cannot write ", path.string(), " as JSON: ", too_deep());
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
