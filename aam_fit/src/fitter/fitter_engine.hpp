// What a Fitter runs on: the CPU or one GPU. Fitter checks arguments, by check() among others.
//
// Both engines go through the levels alike. For each level: the crop around the shape so far (crop_around),
// its planes (prepare), the shape's parameters there (parameters_of), the fit with level_options(), and the
// shape back in the frame. A level that shares_planes() with the one before it keeps that one's crop and
// planes. A fit that is lost (outside or without contrast) on a level ends there, with the landmarks it had.
// set_outcome() derives error, status, score and confidence from the last level.
//
// The levels before choice() are fitted from several starts(), the others from the best of these. The fits of
// a face share the crop around the mean of their shapes.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/prepare.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace triptych::aam_fit {

class FitterEngine {
 public:
  virtual ~FitterEngine() = default;
  FitterEngine(const FitterEngine&) = delete;
  FitterEngine& operator=(const FitterEngine&) = delete;

  const Model& model() const { return model_; }
  // InvalidArgument when the face cannot be fitted. Called for every face before it is fitted or submitted.
  void check(const Face& face) const;
  void check(const DeviceFace& face) const;

  // After an exception nothing reads a frame in device memory any more.
  virtual std::vector<Fit> fit(std::span<const Face> faces) = 0;
  virtual std::vector<Fit> fit(std::span<const DeviceFace> faces) = 0;
  // At most max_in_flight are submitted and not yet fetched; next() returns the oldest of them.
  virtual void submit(const Face& face) = 0;
  virtual void submit(const DeviceFace& face) = 0;
  virtual Fit next() = 0;
  virtual int in_flight() const = 0;
  // Discards what is in flight. Nothing reads a frame in device memory any more.
  virtual void drop() = 0;
  virtual void wait(const Event& event) { event.synchronize(); }

  // "levels 0 to 4: ...; levels 5 to 9: ...; then 2 Gauss-Newton steps on patches".
  std::string describe_levels() const;

 protected:
  FitterEngine(const Model& model, const FitterOptions& options);
  // Parts of check(): the size of a frame, and whether a frame can be in device memory.
  virtual void check_size(std::int64_t, std::int64_t) const {}
  virtual void check_device_frames() const = 0;
  // What computes the fit of one level.
  virtual std::string describe_level(std::size_t level) const = 0;
  // squared_error: |r|^2 of the last level; status: as that level reports it. The confidence is that of the
  // fit's parameters, where the finest level has the error compared_error.
  void set_outcome(Fit& fit, std::size_t last_level, double squared_error, FitStatus status,
                   double compared_error) const;
  void set_outcome(Fit& fit, std::size_t last_level, double squared_error, FitStatus status) const {
    set_outcome(fit, last_level, squared_error, status, squared_error);
  }

  // Of a level's crop: a start may be far off, the result of a resolution is not.
  double crop_margin(std::size_t level) const;
  // The number of levels that are fitted from every start.
  std::size_t choice() const { return choice_; }
  // Gauss-Newton steps follow the last level.
  bool refines() const {
    return model_.refinement.known() && options_.refinement_steps > 0 &&
           options_.algorithm == Algorithm::regression;
  }
  // The starts of a face: its own first.
  std::vector<Shape> starts(const Shape& start, bool alone) const;
  int start_count(bool alone) const { return alone ? 1 : options_.starts; }

  const Model model_;
  const FitterOptions options_;

 private:
  void check(std::int64_t width, std::int64_t height, const Shape& start) const;

  std::vector<double> g0_squared_;  // |g0|^2 of each level
  std::size_t choice_ = 0;
};

std::unique_ptr<FitterEngine> make_cpu_fitter_engine(const Model& model, const FitterOptions& options,
                                                     int threads);
// Unavailable when built without CUDA.
std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model& model, const FitterOptions& options,
                                                      int ordinal);

// The same resolution and features.
bool shares_planes(const Level& level, const Level& before);
// The same planes, and one set of parameters means the same for both levels.
bool shares_parameters(const Level& level, const Level& before);

// A level of one or two iterations is a stage of a cascade.
inline bool is_stage(const Level& level) { return level.iterations <= 2; }

// A stage tries a step and its half: what these do not mend is left to the next stage.
inline FitOptions level_options(const FitterOptions& options, const Level& level) {
  FitOptions fit = options.fit;
  if (fit.max_iterations == 0) {
    fit.max_iterations = level.iterations;
    if (is_stage(level)) fit.steps = std::min(fit.steps, 2);
  }
  return fit;
}

// "synthetic faces: 68 landmarks, 10 levels, 23 modes and 6800 samples at the finest".
std::string describe_model(const Model& model);

}  // namespace triptych::aam_fit
