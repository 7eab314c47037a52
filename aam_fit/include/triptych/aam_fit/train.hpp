// Training: from faces with landmarks to a Model. On the host, over all cores.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace triptych::aam_fit {

struct Example {
  GreyImage image;
  Shape landmarks;   // in its pixels
  std::string name;  // for errors
};

// combined: shape and texture share their parameters (Cootes). independent: c = (shape, texture).
enum class Parameters { combined, independent };
// displaced: the average Jacobian by displaced parameters, R = (J'J)^-1 J'. regression: R by ridge regression
// of many random displacements, each level on what the levels before it leave.
enum class Update { displaced, regression };

struct LevelOptions {
  std::int64_t pixels = 4096;
  double margin = 0;
  Features features;
  int iterations = 10;
};

struct TrainOptions {
  std::vector<LevelOptions> levels;  // coarse to fine; empty: default_levels()
  std::vector<Triangle> triangles;   // empty: Delaunay of the mean
  Parameters parameters = Parameters::combined;
  Update update = Update::displaced;
  double shape_variance = 0.98, texture_variance = 0.95, combined_variance = 0.98;  // shares kept ...
  int shape_modes = 0, texture_modes = 0, modes = 0;  // ... or counts, when above 0
  bool compositional = true;                          // keep Ps and Pg
  bool mirror = false;                                // also learn from mirrored images; needs mirror_points
  std::vector<int>
      mirror_points;  // the landmark that each becomes in a mirror; empty: found from the mean shape
  std::uint64_t seed = 1;
  int threads = 0;
  std::string name;
};

// pixels: of the finest level; the coarser ones have a quarter each, with smoothing to match.
std::vector<LevelOptions> default_levels(std::int64_t pixels, int count, const Features& features);

// stage: a few words; done of total steps. Called from the calling thread.
using Progress = std::function<void(const std::string& stage, std::int64_t done, std::int64_t total)>;

// InvalidArgument, naming the example, when there are fewer than two, counts of points are mixed or below
// three, a landmark is not finite or far outside its image, an image is smaller than 16 x 16, or all images
// are equal.
Model train(const std::vector<Example>& examples, const TrainOptions& options, const Progress& progress = {});

}  // namespace triptych::aam_fit
