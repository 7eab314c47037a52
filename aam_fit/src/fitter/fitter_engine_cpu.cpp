// The CPU engine of a Fitter.
#include <triptych/aam_fit/inverse_compositional.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "crop/prepare_cpu.hpp"
#include "crop/prepare_math.hpp"
#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

struct CpuStage {
  LevelFitter fitter;
  std::optional<CompositionalFitter> compositional;
  bool keeps_planes = false, keeps_parameters = false;  // of the stage before it
};

class CpuEngine final : public FitterEngine {
 public:
  CpuEngine(const Model& model, const FitterOptions& options, int threads)
      : FitterEngine(model, options), threads_(threads) {
    stages_.reserve(model.levels.size());
    for (std::size_t i = 0; i < model.levels.size(); ++i) {
      const Level& level = model.levels[i];
      CpuStage stage{LevelFitter(level, options.fit.storage, threads), std::nullopt};
      if (options.algorithm != Algorithm::regression)
        stage.compositional.emplace(level,
                                    options.algorithm == Algorithm::project_out ? Compositional::project_out
                                                                                : Compositional::simultaneous,
                                    threads);
      if (i > 0) {
        stage.keeps_planes = shares_planes(level, model.levels[i - 1]);
        stage.keeps_parameters = shares_parameters(level, model.levels[i - 1]);
      }
      stages_.push_back(std::move(stage));
    }
  }

  std::vector<Fit> fit(std::span<const Face> faces) override {
    std::vector<Fit> fits;
    fits.reserve(faces.size());
    for (const Face& face : faces) fits.push_back(fit_one(face));
    return fits;
  }
  std::vector<Fit> fit(std::span<const DeviceFace>) override { refuse(); }
  void submit(const Face& face) override { done_.push_back(fit_one(face)); }
  void submit(const DeviceFace&) override { refuse(); }
  Fit next() override {
    Fit fit = std::move(done_.front());
    done_.pop_front();
    return fit;
  }
  int in_flight() const override { return static_cast<int>(done_.size()); }
  void drop() override { done_.clear(); }

 private:
  [[noreturn]] static void refuse() {
    throw InvalidArgument(
        "this fitter runs on the CPU and cannot read device memory: construct it with Device::cuda()");
  }
  void check_device_frames() const override { refuse(); }
  std::string describe_level(std::size_t level) const override {
    if (options_.algorithm == Algorithm::project_out) return "inverse compositional, project-out";
    if (options_.algorithm == Algorithm::simultaneous) return "inverse compositional, simultaneous";
    if (options_.fit.form == Form::paper) return "the paper's ten steps";
    return stages_[level].fitter.describe();
  }

  Fit fit_one(const Face& face) {
    Fit fit;
    fit.landmarks = face.start;
    Crop crop;
    Shape in_crop(face.start.size());
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      CpuStage& stage = stages_[i];
      const Level& level = stage.fitter.level();
      if (!stage.keeps_planes) {
        crop = crop_around(level, fit.landmarks, options_.crop_margin);
        if (!is_within_reach(crop, face.frame.width(), face.frame.height())) {
          set_outcome(fit, i, std::numeric_limits<double>::infinity(), FitStatus::lost_outside);
          break;
        }
        prepare_cpu(face.frame, crop, level.features, planes_, scratch_, threads_);
      }
      std::transform(fit.landmarks.begin(), fit.landmarks.end(), in_crop.begin(),
                     [&](Point p) { return to_crop(crop, p); });
      const FitOptions options = level_options(options_, level);
      FitStatus status = FitStatus::converged;
      double error = 0;
      std::optional<double> compared;  // these algorithms have errors of their own
      if (stage.compositional) {
        CompositionalFitter::Result found = stage.compositional->fit(planes_.view(), in_crop, options);
        error = found.error;
        fit.iterations += found.iterations;
        status = found.status;
        in_crop = std::move(found.shape);
        if (&stage == &stages_.back() && !is_lost(status)) {
          fit.parameters = stage.fitter.parameters_of(planes_.view(), in_crop);
          compared = stage.fitter.evaluate(planes_.view(), fit.parameters, Form::one_pass).error;
        }
      } else {
        if (!stage.keeps_parameters) fit.parameters = stage.fitter.parameters_of(planes_.view(), in_crop);
        LevelFit found = fit_cpu(stage.fitter, planes_.view(), fit.parameters, options);
        fit.parameters = std::move(found.parameters);
        error = found.error;
        fit.iterations += found.iterations;
        status = found.status;
        in_crop = stage.fitter.shape_of(fit.parameters);
      }
      for (Point& p : in_crop) p = to_frame(crop, p);
      // A landmark that no pixel follows can leave the frame unseen.
      if (!is_lost(status) &&
          !std::all_of(in_crop.begin(), in_crop.end(), [](Point p) { return is_within_reach(p.x, p.y); })) {
        status = FitStatus::lost_outside;
        error = std::numeric_limits<double>::infinity();
      }
      set_outcome(fit, i, error, status, compared.value_or(error));
      if (is_lost(status)) break;
      fit.landmarks = in_crop;
    }
    return fit;
  }

  int threads_;
  std::vector<CpuStage> stages_;
  Planes planes_;
  PrepareScratch scratch_;
  std::deque<Fit> done_;
};

}  // namespace

std::unique_ptr<FitterEngine> make_cpu_fitter_engine(const Model& model, const FitterOptions& options,
                                                     int threads) {
  return std::make_unique<CpuEngine>(model, options, threads);
}

}  // namespace triptych::aam_fit
