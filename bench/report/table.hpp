// The Markdown tables of the report. Each ends with an empty line.
#pragma once

#include <string>

#include "grid.hpp"

namespace triptych::report {

// A row, and the two rows above all others: the first column is text, the others are numbers.
std::string table_row(const std::vector<std::string>& cells);
std::string table_header(const std::vector<std::string>& cells);

// The limits that were measured; "" when there are none.
std::string limits_table(const Results& results);

// Times in us, sizes down, series across, the fastest of a size bold (all that print the same). For sums on
// the GPU also the bandwidth of automatic and its share of what the GPU can read.
std::string grid_table(const Grid& grid, const Limits& limits);

// Entries that no grid holds, a table for each first part of the name; "" when there are none.
std::string other_tables(const Results& results);

// What did not run, and why; "" when everything ran.
std::string failure_list(const Results& results);

}  // namespace triptych::report
