// One pass over the pixels of a level on the CPU: the sums from which solve_pass() has error and step.
#pragma once

#include <triptych/aam_fit/planes.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "fit/cpu/pass_kernels.hpp"
#include "fit/stacked_level.hpp"

namespace triptych::aam_fit {

class OnePass {
 public:
  // stacked: of the same level; its matrix is copied, rows that are all zero left out.
  OnePass(const Level& level, const StackedLevel& stacked, int threads, CpuPath path = CpuPath::simd);

  int padded_points() const { return tables_.padded_points; }
  // Landmarks of parameters, x and y apart, padded_points() each.
  void shape(const float* parameters, float* xs, float* ys) const;

  struct Result {
    std::span<const double> rows;  // StackedLevel::rows() sums, in its order
    double S1 = 0, S2 = 0;
    std::int64_t outside = 0;  // pixels
  };
  // Landmarks as shape() writes them, the y behind the x. Good until the next run. The bits do not depend on
  // the threads. The matrix is read once for all shapes, and each has the sums that it has alone.
  std::span<const Result> run(const PassPlanes& planes, std::span<const float* const> shapes);
  const Result& run(const PassPlanes& planes, const float* shape) {
    return run(planes, std::span(&shape, 1)).front();
  }

 private:
  void sort_pixels(const Level& level, std::vector<std::int32_t>& order);
  void lay_out(const StackedLevel& stacked, const std::vector<std::int32_t>& order);
  void make_room(std::size_t shapes);

  PassTables tables_;
  PassKernels kernels_;
  int threads_;
  std::vector<std::int32_t> row_of_;  // of the stacked level, for each row kept
  std::vector<float> scale_;          // of each row kept
  // Of a chunk, the sums of all shapes.
  AlignedArray<double> chunk_rows_;
  std::vector<PassSums> sums_;
  std::vector<std::span<PassSums>> chunks_;
  // Of each shape.
  std::size_t row_count_ = 0;
  std::vector<double> rows_;
  std::vector<Result> results_;
};

// InvalidArgument unless the planes have the level's channels and can be sampled.
PassPlanes pass_planes(PlanesView planes, int channels);

}  // namespace triptych::aam_fit
