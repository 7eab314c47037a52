#include <array>
#include <utility>

#include "style.hpp"

namespace triptych::report {

namespace {

constexpr const char* dashes = "6 4";
constexpr const char* dots = "2 4";

struct Known {
  std::string_view series;
  const char* colour;
  double width;
  const char* dash;
};

constexpr std::array<Known, 24> known = {{
    {"automatic", "#d55e00", 4, ""},
    {"global_atomic", "#882255", 1.6, ""},
    {"shared_atomic", "#cc79a7", 1.6, ""},
    {"tree_interleaved", "#b08900", 1.6, ""},
    {"tree_sequential", "#e6b800", 1.6, ""},
    {"grid_stride_shared", "#332288", 1.6, ""},
    {"grid_stride_shared_x2", "#5566cc", 1.6, ""},
    {"grid_stride_register", "#0072b2", 1.6, ""},
    {"grid_stride_atomic", "#56b4e9", 1.6, ""},
    {"warp_shuffle", "#009e73", 1.6, ""},
    {"single_pass", "#117733", 1.6, ""},
    {"cluster", "#44aa99", 1.6, ""},
    {"cub_block", "#8c8c8c", 1.8, dashes},
    {"cub_device", "#666666", 1.8, dashes},
    {"thrust", "#a08060", 1.8, dots},
    {"peer_cub", "#000000", 2.2, dashes},
    {"peer_thrust", "#6b4423", 2.2, dots},
    {"sequential", "#882255", 2, ""},
    {"compensated", "#b08900", 2, ""},
    {"pairwise", "#009e73", 2, ""},
    {"simd", "#0072b2", 3, ""},
    {"threads", "#d55e00", 3, ""},
    {"thrust_omp", "#6b4423", 2.2, dashes},
    {"peer_cublas", "#000000", 2.2, dashes},
}};

constexpr std::array<const char*, 7> cycle = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#b08900", "#56b4e9", "#882255"};

// Dark violet to yellow-brown by way of green: ordered in lightness too, and dark enough on white at its end.
constexpr std::array<const char*, 8> ramp = {"#440154", "#46327e", "#365c8d", "#277f8e",
                                             "#1fa187", "#5cb84a", "#a8b820", "#d9a400"};

}  // namespace

Style series_style(std::string_view series, std::size_t index) {
  for (const Known& one : known) {
    if (one.series == series) return {one.colour, one.width, one.dash};
  }
  return {cycle[index % cycle.size()], 1.6, ""};
}

Style ordered_style(std::size_t i, std::size_t count) {
  const std::size_t place = count < 2 ? 0 : i * (ramp.size() - 1) / (count - 1);
  return {ramp[place % ramp.size()], 2.2, ""};
}

}  // namespace triptych::report
