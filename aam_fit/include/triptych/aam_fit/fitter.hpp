// Fitter: fits a model to faces in frames, coarse to fine. Made once for a device, then fed frames; it owns
// buffers, streams and graphs.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/core/device.hpp>

#include <memory>
#include <span>
#include <vector>

namespace triptych::aam_fit {

enum class Algorithm { regression, project_out, simultaneous };  // the last two on the CPU

struct FitterOptions {
  Algorithm algorithm = Algorithm::regression;
  FitOptions fit{.max_iterations = 0};      // 0 takes each level's own
  int max_width = 1920, max_height = 1080;  // of frames (GPU)
  int max_faces = 1;                        // of a batch (GPU)
  double around = 0.5;                      // of the face on each side that the crop holds
};

struct Fit {
  Shape landmarks;                // in the frame's pixels
  std::vector<float> parameters;  // of the finest level
  double error = 0;               // |r|^2 / samples there
  int iterations = 0;             // of all levels
  // Of the finest level, or of the one on which it was lost. The levels of a cascade (one or two iterations
  // each) converge by taking their steps.
  FitStatus status = FitStatus::converged;
};

struct Face {
  ImageView<const Grey8> frame;
  Shape start;  // in the frame's pixels; start_in_box() makes one of a face box
};

// The mean shape in a face's box (of its landmarks). InvalidArgument, saying so, when the box is empty or
// wholly outside a frame of that size.
Shape start_in_box(const Model& model, const Box& box, int frame_width, int frame_height);

class FitterEngine;

class Fitter {
 public:
  Fitter(const Model& model, const FitterOptions& options, const Device& device);
  Fitter(Fitter&&) noexcept;
  Fitter& operator=(Fitter&&) noexcept;
  ~Fitter();
  const Model& model() const;

  // InvalidArgument when the start has another number of points, or the frame is empty or larger than
  // foreseen.
  Fit fit(const Face& face);
  // Many at once, up to max_faces on a GPU at a time; the frames may be of different sizes.
  std::vector<Fit> fit(std::span<const Face> faces);

  // The same in two halves, for video: on a GPU the upload of a frame overlaps the fit of the one before it.
  // The frame may change when submit() returns.
  static constexpr int max_in_flight = 2;
  void submit(const Face& face);
  Fit next();
  int in_flight() const;

  // The model's texture at a fit's parameters as a picture of the finest frame (grey 0..255), and its size.
  GreyImage texture(const Fit& fit) const;

 private:
  std::unique_ptr<FitterEngine> engine_;
};

}  // namespace triptych::aam_fit
