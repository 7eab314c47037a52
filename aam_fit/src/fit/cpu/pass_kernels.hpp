// What the kernels of the one pass on the CPU work on, and which of them a machine has.
//
// Pixels are sorted by their triangle and cut into tiles. For a tile the landmarks give the positions of its
// pixels, run of equal triangles by run; then each channel is sampled and, while the samples are in the
// first-level cache, multiplied into the tile's part of the matrix. That part lies sample by sample, the rows
// side by side: one sample is broadcast and multiplied with all rows, the matrix is read once from front to
// back, and nothing has to be added across lanes. Several shapes take turns while a tile's part of the matrix
// for a channel is in the first-level cache.
#pragma once

#include <triptych/core/cpu_path.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "fit/cpu/aligned_array.hpp"

namespace triptych::aam_fit {

constexpr int pass_pack = 16;   // lanes of a pack: rows and points are filled up to a multiple of it
constexpr int pass_tile = 128;  // pixels
constexpr int pass_tiles_per_chunk = 16;
constexpr int pass_shapes = 8;  // that a pass takes at most

// Pixels of a tile that follow the same three landmarks.
struct PassRun {
  std::uint16_t corners[3];
  std::uint16_t count;
};

struct PassTables {
  std::int64_t pixels = 0;
  int channels = 1;
  int stride = 0;                        // rows, filled up
  AlignedArray<float> a, b;              // weights of the sorted pixels, a pack longer
  std::vector<PassRun> runs;             // in the order of the pixels
  std::vector<std::int32_t> first_run;   // of each tile, and the number of all
  AlignedArray<float> matrix;            // tile, channel, pixel, row: one of the two is empty
  AlignedArray<std::uint16_t> halves;    //
  int points = 0, padded_points = 0;     //
  int modes = 0;                         //
  AlignedArray<float> s0x, s0y, Qx, Qy;  // padded_points; modes x padded_points
  float sample_offset = 0;
};

// Planes as the kernels see them; width and height at least 2.
struct PassPlanes {
  const float* data = nullptr;
  std::int32_t width = 0, height = 0, pitch = 0;  // pitch in elements
};

// The sums of a chunk of tiles, in double; lanes of S1 and S2 are not yet added up.
struct PassSums {
  double* rows;  // stride
  double S1[pass_pack], S2[pass_pack];
  std::int64_t outside;
};

struct PassKernels {
  // Landmarks of parameters c, sx, sy, tx, ty: x and y apart, padded_points each.
  void (*shape)(const PassTables&, const float* parameters, float* xs, float* ys);
  // Adds up tiles [first, last) for each of up to pass_shapes shapes: x of the landmarks, then y.
  void (*tiles)(const PassTables&, const PassPlanes&, std::span<const float* const> shapes,
                std::int64_t first, std::int64_t last, PassSums* sums);
};

// What this machine can run, plain first. The others fuse every multiply-add and give the same bits; plain
// rounds products too where fusing is slow.
std::span<const CpuPath> available_pass_paths();
PassKernels pass_kernels(CpuPath path);

}  // namespace triptych::aam_fit
