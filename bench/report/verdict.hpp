// Comparisons of two series. A speed-up is the time of the other over ours: above 1, ours is faster. Two
// times whose spreads (10th to 90th percentile) overlap are called the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grid.hpp"

namespace triptych::report {

enum class Outcome { faster, same, slower };

struct Comparison {
  Size size;
  double speed_up = 1;
  Outcome outcome = Outcome::same;
};

struct Summary {
  double geometric_mean = 1;
  int faster = 0;  // at how many sizes
  int same = 0;
  int slower = 0;
};

Comparison compare(const Entry& ours, const Entry& other);

// At every size that has both.
std::vector<Comparison> compare(const Grid& grid, const std::string& ours, const std::string& other);

// Over the sizes with smallest <= cols <= largest; nothing when there are none.
std::optional<Summary> summarise(const std::vector<Comparison>& comparisons, std::int64_t smallest,
                                 std::int64_t largest);

// The smallest speed-up; nothing when there are no comparisons.
std::optional<Comparison> worst(const std::vector<Comparison>& comparisons);

// The lines of the verdict, as a Markdown list; "" when there is nothing to compare.
std::string verdict(const Results& results, const std::vector<Grid>& grids);

// Parts of the lines: "2.00x"; "faster"; "reaches **54 %** of what the GPU can read".
std::string times_text(double speed_up);
const char* word(Outcome outcome);
std::string share_words(double share, const std::string& limit);

}  // namespace triptych::report
