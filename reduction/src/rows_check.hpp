// Argument checks of the row operations, for the CPU and the CUDA functions.
#pragma once

#include <cstdint>

namespace triptych::reduction {

// InvalidArgument when a length does not fit the matrix.
void check_row_sums(std::int64_t rows, std::int64_t result_size);
void check_multiply(std::int64_t rows, std::int64_t cols, std::int64_t x_size, std::int64_t y_size);

}  // namespace triptych::reduction
