// The numbers of a command line: checks whose message names the option, the range and what was given.
#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace triptych::apps {

// Parses a command line. True when it is to be carried out; false after --help or --version, whose text is
// then on stdout. UsageError, "<what>; see <program> --help", when it makes no sense.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

// Whole numbers from least to most. unit: "frames".
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most, const std::string& unit = {});
// Numbers from least to most; above_least: without least itself.
CLI::Validator number(double least, double most, const std::string& unit = {}, bool above_least = false);

}  // namespace triptych::apps
