// Training: from faces with landmarks to a Model. On the host, over all cores.
#pragma once

#include <triptych/aam_fit/example.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/core/error.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace triptych::aam_fit {

// combined: shape and texture share their parameters (Cootes). independent: c = (shape, texture). shape: the
// texture has no parameters and is compared with its mean.
enum class Parameters { combined, independent, shape };
// displaced (Cootes): the average Jacobian by displaced parameters, R = (J'J)^-1 J'; textures are normalised
// by projection. regression: R by ridge regression of many displaced starts, each level on what the levels
// before it leave of the displacements; textures are normalised by the floored projection.
enum class Update { displaced, regression };

struct LevelOptions {
  std::int64_t pixels = 4096;  // of the reference frame; not for patches
  double pitch_px = 1;         // pixels of the planes from one pixel of the frame to the next
  double margin = 0;           // not for patches
  Features features = {};
  int iterations = 10;
  int stages = 1;  // regression: number of levels of this resolution, one after the other
  // Above 0: a square patch of as many samples to a side around each landmark instead of the whole face, its
  // side patch_size face sizes. A face then has patch_samples * pitch_px / patch_size pixels.
  int patch_samples = 0;
  double patch_size = 0.12;
};

// Starts that Update::regression learns from: the mean shape in the face's box, moved, scaled and rotated,
// each uniformly within these bounds.
struct Displacements {
  int per_face = 2;     // deformed faces too; fewer where the residuals would take more than a gibibyte
  double shift = 0.09;  // of the box's width and height
  double scale = 0.09;
  double rotation_rad = 0.2;
};

struct TrainOptions {
  std::vector<LevelOptions>
      levels;  // coarse to fine; empty: default_levels() and, for regression, patch_level()
  std::vector<Triangle> triangles;  // empty: Delaunay of the mean
  Parameters parameters = Parameters::shape;
  Update update = Update::regression;
  double shape_variance = 0.97, texture_variance = 0.95, combined_variance = 0.98;  // shares kept ...
  int shape_modes = 0, texture_modes = 0, modes = 0;  // ... or counts, when above 0
  bool compositional = true;                          // keep Ps and Pg
  bool mirror = true;  // also learn from mirrored images, where mirror_points are known
  // The landmark that each becomes in a mirror. Empty: found from the mean shape; one that does not resemble
  // its mirror image is not mirrored.
  std::vector<int> mirror_points;
  // How far the landmarks lie to the right of what they mark, -4 to 4: 1 where pixels were counted from 1.
  // The landmarks of mirrored images lie as far to the right. Unset: estimated from the examples.
  std::optional<double> landmark_offset_px;
  // Update::regression with Parameters::shape: more faces for each example, its image warped so that the
  // landmarks take 0.3 to 0.9 of the way to the shape of another example. -1: 8 up to 133 examples, then
  // fewer, none from 601 on. Fewer where their images would take more than a gibibyte.
  int deformations = -1;
  Displacements displacements;  // Update::regression
  double ridge = 10;            // Update::regression: weight of |R|^2, in mean squared residuals
  // Update::regression with Parameters::shape: learn Model::refinement. Models of more than max_refined_modes
  // have none.
  bool refinement = true;
  std::int64_t appearance_pixels = 8192;  // of Model::appearance; 0: none
  bool face_classifier = true;            // find_faces() is more reliable with it; takes a few seconds
  std::uint64_t seed = 1;
  int threads = 0;
  std::string name;
};

// pixels: of the finest level; from there to the coarser ones the faces are halved. Widths of the features'
// Gaussians that are 0 are chosen to match (not for grey).
std::vector<LevelOptions> default_levels(std::int64_t pixels = 1700, int count = 2,
                                         const Features& features = {.kind = FeatureKind::double_angle},
                                         Update update = Update::regression);

// A finer level to follow default_levels(): patches around the landmarks, in faces of 160 pixels.
LevelOptions patch_level();

// train() was stopped by its stop token.
class TrainingStopped : public Error {
 public:
  TrainingStopped() : Error("the training was stopped") {}
};

// progress: called at the start of each stage. An exception of it ends the training and reaches the caller.
// stop: TrainingStopped within about a second after another thread has requested it. With a token, the
// eigenvalues of a large matrix (more than 512 faces) are found by a thread of its own; that computation
// cannot be stopped, and goes on by itself with its own memory until it ends.
//
// InvalidArgument, naming the example, when there are fewer than two, counts of points are mixed, below three
// or above 4096, a landmark is not finite or far outside its image, an image is smaller than 16 x 16, or all
// images are equal; and, naming the option, when one is out of range: levels of 16 to 2^22 pixels, a pitch of
// 1/16 to 16, up to 64 stages and 64 levels, 1 to 1000 starts per face, up to 1000 deformations.
// std::bad_alloc when what was asked for does not fit into memory; neither leaves anything behind.
Model train(const std::vector<Example>& examples, const TrainOptions& options, const Progress& progress = {},
            const std::stop_token& stop = {});

// What train() takes for TrainOptions::landmark_offset_px when it is not set; 0 without mirror images. Of the
// options only mirror, mirror_points and threads count. InvalidArgument and TrainingStopped as train().
double estimate_landmark_offset_px(const std::vector<Example>& examples, const TrainOptions& options = {},
                                   const std::stop_token& stop = {});

}  // namespace triptych::aam_fit
