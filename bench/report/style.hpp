// The style of a line. The colours are distinct for colour-blind readers (after Okabe and Ito, and Tol);
// members of one family of strategies share a hue.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace triptych::report {

// Of everything that is not data.
constexpr const char* ink = "#24292f";
constexpr const char* soft_ink = "#57606a";
constexpr const char* grid_colour = "#e4e7eb";
constexpr const char* rule_colour = "#57606a";

struct Style {
  std::string colour = "#555555";
  double width = 1.5;
  std::string dash = "";
};

// automatic thick, libraries dashed; names that are not known get a colour by their index.
Style series_style(std::string_view series, std::size_t index);

// The i-th of count, from dark to light: for lines that have an order.
Style ordered_style(std::size_t i, std::size_t count);

}  // namespace triptych::report
