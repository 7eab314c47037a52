// Fitter: fits a model to faces in frames, coarse to fine. Made once for a device, then fed frames. It owns
// its buffers, streams and graphs. Move-only; one thread at a time.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/core/frame_processor.hpp>
#include <triptych/core/image.hpp>
#include <triptych/core/image_view.hpp>
#include <triptych/core/stream.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace triptych::aam_fit {

enum class Algorithm { regression, project_out, simultaneous };  // the last two on the CPU

struct FitterOptions {
  Algorithm algorithm = Algorithm::regression;
  FitOptions fit{.max_iterations = 0};      // 0: each level has its own number
  int max_width = 1920, max_height = 1080;  // of frames; on a GPU a larger frame is InvalidArgument
  int max_faces = 1;  // of a batch on a GPU; step() fits a longer span in several batches
  // The number of starts from which a face is fitted, 1 to 9: the given one and others around it. After the
  // first level whose faces are at least half as large as the finest's, the fit with the least error goes on
  // alone.
  int starts = 5;
  // Gauss-Newton steps after the last level, 0 to 10, for models with a Model::refinement and
  // Algorithm::regression.
  int refinement_steps = 2;
  // Width of the border that a crop has around the face, in face sizes; from the second resolution on at most
  // 0.2.
  double crop_margin = 0.5;
  // A fit with less Fit::confidence is not found(). 0: the confidence decides nothing. The default loses few
  // faces and lets hardly anything else pass: docs/performance.md has the shares.
  double min_confidence = 0.7;
};

struct Fit {
  // Of the finest level, or of the level on which the fit was lost. completed: the finest level takes a fixed
  // number of steps (a cascade's stage of one or two iterations, or FitOptions::always_step) and has taken
  // them; they have not been checked for convergence.
  FitStatus status = FitStatus::converged;
  // |g0|^2 / (|g0|^2 + |r|^2) of the finest level, 0 when the fit is lost. With the normalisation by
  // projection and no texture parameters, r is orthogonal to g0, and this is the share of the sampled
  // texture's variance that the model explains: the square of its correlation with g0.
  double score = 0;
  // The probability that the fit is right: that it is on a face, its landmarks by less than 0.1 of the face's
  // size from the true ones on average. From two numbers: the correlation of the texture with the model's,
  // between what the model has on faces and on backgrounds (Model::calibration); and how far the parameters
  // are from the training faces' (docs/method.md). As many faces as other things are assumed. 0 when the fit
  // is lost outside the image or without contrast.
  double confidence = 0;
  double latency_us = 0;  // from step() or submit() to the result

  Shape landmarks;                // in the frame's pixels
  std::vector<float> parameters;  // of the finest level
  // |r|^2 / samples of the finest level; infinite when nothing there has the model's contrast.
  double error = 0;
  int iterations = 0;  // of all levels

  // False when the fit was lost: the landmarks are then those of the level before it, or the start; or, of
  // lost_no_face, those of something else.
  bool found() const { return !is_lost(status); }
};
// Why a fit was not found, and what to do: one sentence without a full stop; empty when it was found.
std::string reason(const Fit& fit);

struct Face {
  ImageView<const Grey8> frame;
  Shape start;               // in the frame's pixels; start_in_box() makes one of a face box
  bool start_alone = false;  // whatever FitterOptions::starts is; all faces of a call alike
};

// The same with a frame in device memory.
struct DeviceFace {
  DeviceImageView<const Grey8> frame;
  Shape start;
  bool start_alone = false;
};

// The mean shape in the box of a face's landmarks. InvalidArgument, saying so, when the box is empty or
// wholly outside a frame of that size.
Shape start_in_box(const Model& model, const Box& box, std::int64_t frame_width, std::int64_t frame_height);

class Fitter {
 public:
  using Model = aam_fit::Model;
  using Options = FitterOptions;
  using Input = Face;
  using Result = Fit;

  // On one CPU or one GPU. InvalidArgument for another kind of device, or when the model has no levels.
  explicit Fitter(const Model& model, const FitterOptions& options = {},
                  const Device& device = Device::best());
  Fitter(Fitter&&) noexcept;
  Fitter& operator=(Fitter&&) noexcept;
  ~Fitter();

  // InvalidArgument when the start has another number of points or no extent, is not finite, lies 2^24 pixels
  // away or has a crop of more than 32 times the frame's longer side; when the frame is empty or larger than
  // max_width x max_height; or when frames are in flight. Nothing is begun then.
  Fit step(const Face& face);
  // Several faces at once; the frames may be of different sizes. All faces are checked before the first one
  // is fitted.
  std::vector<Fit> step(std::span<const Face> faces);
  // Frames in the memory of the fitter's GPU, read in place: the bits of the same frames in host memory. The
  // fitter has its own streams, which wait for other ones by wait() alone. InvalidArgument on the CPU.
  Fit step(const DeviceFace& face);
  std::vector<Fit> step(std::span<const DeviceFace> faces);

  // The same in two halves: on a GPU the upload of a frame overlaps the fit before it. A frame in device
  // memory must not change until next() has returned its fit, or reset() has dropped it; any other may change
  // when submit() returns. InvalidArgument beyond max_in_flight.
  void submit(const Face& face);
  void submit(const DeviceFace& face);
  Fit next();
  int in_flight() const;

  // Frames in device memory of later calls are read after event, so that another stream may still be writing
  // them. On a GPU the fitter's streams wait and the call returns; on the CPU the call waits. The event may
  // be destroyed or recorded again afterwards.
  void wait(const Event& event);

  // Drops what is in flight, and waits until no frame is read any more. A Fitter tracks nothing from face to
  // face.
  void reset();

  const Device& device() const;
  Latency latency() const;
  // One line: the model, its sizes, the device, and which kernels serve each level.
  std::string describe() const;

  const Model& model() const;
  // The model's texture at a fit's parameters, over the raster of the finest level: grey values 0 to 255.
  Image<Grey8> texture(const Fit& fit) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::aam_fit
