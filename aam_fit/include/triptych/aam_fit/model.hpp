// A trained active appearance model: landmarks, triangles, and levels from coarse to fine. Immutable once
// made; copies share their arrays.
//
// A level explains a texture of n = channels * pixels samples and a shape of points landmarks by one set of
// parameters c (modes of them) and a pose t: shape s = s0 + Qs c, moved by t; texture g = g0 + Qg c. A
// sampled texture x is compared as g = (x - beta) / alpha, beta = mean(x), alpha = (x.g0 - beta 1.g0) /
// (g0.g0). The residual r = g - g0 - Qg c gives the step dp = -R r of p = (c, sx, sy, tx, ty).
#pragma once

#include <triptych/aam_fit/features.hpp>
#include <triptych/aam_fit/reference_frame.hpp>
#include <triptych/aam_fit/shape.hpp>
#include <triptych/aam_fit/triangulation.hpp>
#include <triptych/core/shared_array.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace triptych::aam_fit {

// projection (the paper's): alpha = (x.g0 - beta 1.g0) / (g0.g0), which is small or negative where the
// texture does not resemble the model. length: alpha = |x - beta| / |g0|, which is 0 for a flat texture only.
// floored: the projection, but no less than half the length, so that a poor start does not blow up its
// residual. The update must be trained with the same.
enum class Normalisation { projection, length, floored };

// Matrices are row-major. Coordinates are interleaved (x0, y0, x1, y1, ...), in pixels of the level's image,
// in which a face in its mean pose is face_size_px large (planes() of prepare.hpp makes that image).
struct Level {
  Features features;  // what the planes hold
  Normalisation normalisation = Normalisation::projection;
  double face_size_px = 0;  // of s0: face_size(s0)
  ReferenceFrame frame;     // frame.scale: pixels of its raster to one of the planes

  int points = 0;
  int modes = 0;          // m: of c
  SharedArray<float> s0;  // 2 points, centred at the origin
  SharedArray<float> Qs;  // 2 points x m
  SharedArray<float> Ks;  // m x 2 points: c of a shape is Ks (s - s0), plus Qg'(g - g0) of its texture ...
  bool texture_determines_c = true;  // ... unless this is false: then the shape alone determines c, and Qg c
                                     // is the texture expected with it
  SharedArray<float> g0;             // n
  SharedArray<float> Qg;             // m x n (a mode in each row)
  SharedArray<float> R;              // (m + 4) x n
  SharedArray<float> sigma;          // m: standard deviation of each c over the training set

  // The parts, for inverse compositional fitting: orthonormal. Empty when the model was trained without.
  SharedArray<float> Ps;        // shape_modes x 2 points, orthogonal to s0's own poses
  SharedArray<float> Pg;        // texture_modes x n
  SharedArray<float> ps_sigma;  // shape_modes
  int shape_modes = 0, texture_modes = 0;

  float sample_offset = 0;  // near the mean of a sampled texture; subtracted before sums
  int iterations = 10;      // maximum of this level
  std::int64_t samples() const { return g0.size(); }
  std::int64_t pixels() const { return frame.size(); }
};

// Gauss-Newton steps that follow the last level, on patches around the landmarks in its planes: a patch moves
// with its landmark, and its texture is the mean, plus what the basis spans.
struct Refinement {
  int patch_samples = 0;          // of a patch's side, 2 or more; 0: there is none
  double pitch_px = 1;            // pixels of the planes from one sample to the next
  SharedArray<WarpPixel> pixels;  // of the patches, one landmark's after the other, each row by row
  // Samples: of a landmark its channels one after the other, of a channel the pixels of the patch.
  SharedArray<float> g0;     // the mean texture
  SharedArray<float> basis;  // rows as long as g0, orthonormal
  bool known() const { return patch_samples > 0; }
  std::int64_t rows() const { return g0.empty() ? 0 : basis.size() / g0.size(); }
};
constexpr int max_refined_modes = 72;  // of the last level

// What Fit::confidence compares a fit with: medians over fits that train() has made, of the correlation of
// the sampled texture with the model's.
struct Calibration {
  double face = 0;        // fits to training faces, from displaced starts
  double background = 0;  // fits that started beside the faces
  // False for models of files without it: the confidence then assumes what models with default options have.
  bool known() const { return face > background; }
};

// Tells faces from what else find_faces() fits: linear in the texture of a level at the landmarks, of zero
// mean and unit length. train() learns it from its faces, and from fits to other parts of their images and to
// pictures without faces (background_scene()).
struct FaceClassifier {
  int level = 0;               // the first of the finest ones of whole faces; 0 in files before version 4
  SharedArray<float> weights;  // n of that level; empty for none
  double offset = 0;           // the score weights . texture - offset is 0 at the mean of the background, and
                               // 1 at a standard deviation above it, of images left out of the training
  bool known() const { return !weights.empty(); }
};

struct Model {
  std::string name;
  int points = 0;
  std::vector<Triangle> triangles;
  Shape mean;                 // centred, of face size 1
  std::vector<Level> levels;  // coarse to fine; two may have the same resolution
  Refinement refinement;      // of the last level's fit
  Level appearance;           // in grey and without R, for pictures (appearance.hpp); points 0: none
  int images = 0;             // it was trained on (mirrored ones not counted)
  Calibration calibration;
  FaceClassifier face_classifier;
};

// InvalidArgument, naming the level and the array, when sizes do not fit each other, a number is not finite
// or an enumeration is out of range; correlations lie in -1..1. Limits keep what a model's users allocate in
// proportion to the model: modes are at most 2 points + n, a raster has at most 2^20 places more than 64 for
// each of its pixels, and the planes around a face (channels and four more of scratch, a margin of half a
// face size) have at most 2^24 floats more than 48 for each sample. face_size_px is that of s0 within a
// thousandth, and the appearance grey.
void check_model(const Model& model);

}  // namespace triptych::aam_fit
