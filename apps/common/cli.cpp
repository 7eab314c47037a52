#include <common/cli.hpp>
#include <common/program.hpp>

#include <charconv>
#include <iostream>
#include <limits>
#include <sstream>
#include <system_error>

namespace triptych::apps {

namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

CLI::Validator checked(const std::string& wish, const std::function<bool(const std::string&)>& sane) {
  return CLI::Validator(
      [=](const std::string& text) {
        return sane(text) ? std::string() : "wants " + wish + ", not '" + text + "'";
      },
      "");
}

}  // namespace

bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      std::string what = error.what();
      if (const auto colon = what.find(": wants "); colon != std::string::npos) what.erase(colon, 1);
      throw UsageError(what + "; see " + app.get_name() + " --help");
    }
    app.exit(error, std::cout, std::cerr);
    return false;
  }
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most, const std::string& unit) {
  std::string wish = "a whole number";
  if (!unit.empty()) wish += " of " + unit;
  if (most == std::numeric_limits<std::int32_t>::max()) {
    wish += ", at least " + std::to_string(least);
  } else {
    wish += " from " + std::to_string(least) + " to " + std::to_string(most);
  }
  return checked(wish, [=](const std::string& text) {
    const auto value = parse<std::uint64_t>(text);
    return value && *value >= least && *value <= most;
  });
}

CLI::Validator number(double least, double most, const std::string& unit, bool above_least) {
  std::ostringstream wish;
  wish << (unit.empty() ? "a number" : unit) << (above_least ? " above " : " from ") << least
       << (above_least ? " and up to " : " to ") << most;
  return checked(wish.str(), [=](const std::string& text) {
    const auto value = parse<double>(text);
    return value && (above_least ? *value > least : *value >= least) && *value <= most;
  });
}

}  // namespace triptych::apps
