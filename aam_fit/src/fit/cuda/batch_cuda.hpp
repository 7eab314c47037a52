// Many faces at once: an evaluation of all images is sampling, one product of the stacked matrix with all
// samples (tensor cores), and a small solution for each face. Also serves levels for which the one-pass
// kernel has no plan, and computes the parameters of shapes.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <span>

#include "fit/cuda/level_cuda.hpp"

namespace triptych::aam_fit {

// A face's fit between two evaluations; on the device.
struct FaceState {
  FitState<double> fit;
  std::int32_t still;  // the whole step moves no landmark
};

// Arguments of the kernels. Arrays have one row per face.
struct BatchArguments {
  LevelOnDevice level;
  FitRules rules;
  std::int32_t faces, chunks, splits, rows;
  std::int64_t columns;  // of the product that a split owns
  const PlanesOnDevice* planes;
  FaceState* states;
  float *trial, *step;   // modes + 4
  float *points, *here;  // 2 points: of the trial, and of the fit so far
  float* x;              // padded samples
  float* sums;           // chunks x 3: sum x, sum x^2, pixels outside
  float* parts;          // splits x faces x rows: products
  float* parameters;
  DeviceLevelFit* results;
  float* errors;  // 1 + max_iterations; null: not wanted
};

class BatchFit {
 public:
  BatchFit(const LevelOnDevice& level, const FitRules& rules, bool exact_matrix, int max_faces);

  // parameters: faces x (modes + 4); errors: faces x (1 + max_iterations).
  void fit(std::span<const PlanesOnDevice> planes, float* parameters, DeviceLevelFit* results, float* errors,
           StreamRef stream);
  // shapes: faces x 2 points. with_texture: c includes the texture's part.
  void parameters_of(std::span<const PlanesOnDevice> planes, const float* shapes, bool with_texture,
                     float* parameters, StreamRef stream);

 private:
  void set_planes(std::span<const PlanesOnDevice> planes, StreamRef stream);
  BatchArguments arguments(int faces);
  void evaluate(const BatchArguments& g, StreamRef stream);

  LevelOnDevice level_;
  FitRules rules_;
  bool exact_matrix_;  // its values are halves: exact in the tensor cores' format
  int max_faces_, multiprocessors_, depth_;
  DeviceBuffer<PlanesOnDevice> planes_;
  DeviceBuffer<FaceState> states_;
  DeviceBuffer<float> trial_, step_, points_, here_, x_, sums_, parts_;
};

// batch_parameters_cuda.cu: pose and c of shapes (faces x 2 points), whose landmarks are then sampled; and,
// after an evaluation, the texture's part of c.
void launch_pose(const BatchArguments& g, const float* shapes, StreamRef stream);
void launch_texture_parameters(const BatchArguments& g, StreamRef stream);

// parts = x times the rows of the matrix, by splits of the columns (batch_product_cuda.cu). prepare returns
// the depth of the kernel's tiles on the current GPU.
int prepare_batch_product();
void launch_batch_product(const BatchArguments& g, bool exact_matrix, int depth, StreamRef stream);

}  // namespace triptych::aam_fit
