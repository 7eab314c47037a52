// Numbers and names as the report prints them: the same bytes on every machine, whatever its locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace triptych::report {

// Rounded to the given number of decimals.
std::string fixed(double value, int decimals);

// Rounded to three significant digits, never in exponent form: 0.0123, 1.23, 12.3, 1230. "-" when not finite.
std::string three_digits(double value);

// A positive decimal number that is the whole text; 0 otherwise.
std::int64_t parse_count(std::string_view text);

// The k with 2^k == n; -1 when there is none.
int exact_log2(std::int64_t n);

// "2^20" where exact, "1000003" otherwise.
std::string size_text(std::int64_t n);

// "900 GB/s", "4.21 TB/s".
std::string rate_text(double gigabytes_per_s);

// Bytes that are not UTF-8, control characters and what XML forbids become U+FFFD.
std::string printable(std::string_view text);

// printable(), with the characters escaped that mean something in XML text and attributes, or in Markdown.
std::string escape_xml(std::string_view text);
std::string escape_markdown(std::string_view text);

// Every word that is an absolute path is cut down to its last part: a report names no folders of a machine.
std::string without_folders(std::string_view text);

}  // namespace triptych::report
