// The solution of a few dozen symmetric equations by the threads of a block.
#pragma once

namespace triptych::aam_fit {

// Rows and columns j and j + 1 on the diagonal of a system of q equations, row by row, of which the lower
// triangle is read. Beyond the last row those of the identity.
struct PivotPair {
  struct Values {
    double first, second;
  };
  double a, b, c, determinant;
  __device__ PivotPair(const double* system, int j, int q)
      : a(system[j * q + j]),
        b(j + 1 < q ? system[(j + 1) * q + j] : 0),
        c(j + 1 < q ? system[(j + 1) * q + j + 1] : 1),
        determinant(a * c - b * b) {}
  __device__ bool is_positive() const { return a > 0 && determinant > 0; }
  __device__ Values solve(double x, double y) const {
    const double inverse = 1 / determinant;
    return {(c * x - b * y) * inverse, (a * y - b * x) * inverse};
  }
};

// system: the lower triangle of q rows, which is overwritten, and below it the right side. False, for all
// threads, when it is not positive definite. The caller synchronises before it reads the solution.
//
// Gauss-Jordan elimination by pairs of columns, the right side as the last row: a step takes multiples of its
// two columns from every other one, so that its two rows have elements in these columns alone. No step
// changes the rows above it. Right of the diagonal the rows are those of the lower triangle, by symmetry.
template <int Threads>
__device__ bool eliminate_in_block(double* system, int q, double* solution) {
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, warp = t / 32;
  constexpr int warps = Threads / 32;
  for (int j = 0; j < q; j += 2) {
    const PivotPair pivot(system, j, q);
    if (!pivot.is_positive()) return false;
    const int next = min(j + 2, q);
    for (int i = next + warp; i <= q; i += warps) {
      const bool has_second = j + 1 < q;
      const auto [f, h] = pivot.solve(system[i * q + j], has_second ? system[i * q + j + 1] : 0);
      for (int k = lane; k <= min(i, q - 1); k += 32) {
        if (k >= j && k < next) continue;
        const double x = k < j ? system[j * q + k] : system[k * q + j];
        const double y = !has_second ? 0 : k < j ? system[(j + 1) * q + k] : system[k * q + j + 1];
        system[i * q + k] -= f * x + h * y;
      }
    }
    __syncthreads();
  }
  for (int j = 2 * t; j < q; j += 2 * Threads) {
    const bool has_second = j + 1 < q;
    const auto [x, y] =
        PivotPair(system, j, q).solve(system[q * q + j], has_second ? system[q * q + j + 1] : 0);
    solution[j] = x;
    if (has_second) solution[j + 1] = y;
  }
  return true;
}

}  // namespace triptych::aam_fit
