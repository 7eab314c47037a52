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
#include "fit/refine/refine_cpu.hpp"
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
    if (refines()) refiner_.emplace(model);
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

  static bool is_out(const Fit& fit) {
    return fit.status == FitStatus::lost_outside || fit.status == FitStatus::lost_contrast;
  }

  Fit fit_one(const Face& face) {
    std::vector<Fit> fits;
    for (Shape& start : starts(face.start, face.start_alone)) {
      fits.emplace_back();
      fits.back().landmarks = std::move(start);
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (i == choice()) keep_best(fits);
      fit_level(face.frame, i, fits);
    }
    keep_best(fits);
    return std::move(fits.front());
  }

  // The first of those with the least error; the given start's when all are lost.
  static void keep_best(std::vector<Fit>& fits) {
    const auto is_better = [](const Fit& a, const Fit& b) {
      return is_out(a) != is_out(b) ? is_out(b) : !is_out(a) && a.error < b.error;
    };
    std::swap(fits.front(), *std::min_element(fits.begin(), fits.end(), is_better));
    fits.resize(1);
  }

  // One level of all fits of a face that are not lost.
  void fit_level(const ImageView<const Grey8>& frame, std::size_t i, std::span<Fit> fits) {
    CpuStage& stage = stages_[i];
    const Level& level = stage.fitter.level();
    if (!stage.keeps_planes) {
      std::vector<const Shape*> shapes;
      for (const Fit& fit : fits)
        if (!is_out(fit)) shapes.push_back(&fit.landmarks);
      if (shapes.empty()) return;
      crop_ = crop_around(level, mean_of_shapes(shapes), crop_margin(i));
      if (!is_within_reach(crop_, frame.width(), frame.height())) {
        for (Fit& fit : fits)
          if (!is_out(fit))
            set_outcome(fit, i, std::numeric_limits<double>::infinity(), FitStatus::lost_outside);
        return;
      }
      prepare_cpu(frame, crop_, level.features, planes_, scratch_, threads_);
    }
    stage.compositional ? fit_one_by_one(stage, i, fits) : fit_batch(stage, i, fits);
  }

  void fit_batch(CpuStage& stage, std::size_t i, std::span<Fit> fits) {
    std::vector<std::span<const float>> starts;
    for (Fit& fit : fits) {
      if (is_out(fit)) continue;
      if (!stage.keeps_parameters)
        fit.parameters = stage.fitter.parameters_of(planes_.view(), in_crop(fit.landmarks));
      starts.emplace_back(fit.parameters);
    }
    const FitOptions options = level_options(options_, stage.fitter.level());
    std::vector<LevelFit> found = fit_cpu(stage.fitter, planes_.view(), starts, options);
    auto next = found.begin();
    for (Fit& fit : fits) {
      if (is_out(fit)) continue;
      fit.parameters = std::move(next->parameters);
      if (refiner_ && i + 1 == stages_.size() && !is_lost(next->status))
        refiner_->refine(planes_.view(), options_.refinement_steps, fit.parameters);
      fit.iterations += next->iterations;
      end_level(fit, i, next->error, next->status, stage.fitter.shape_of(fit.parameters), next->error);
      ++next;
    }
  }

  void fit_one_by_one(CpuStage& stage, std::size_t i, std::span<Fit> fits) {
    const FitOptions options = level_options(options_, stage.fitter.level());
    for (Fit& fit : fits) {
      if (is_out(fit)) continue;
      CompositionalFitter::Result found =
          stage.compositional->fit(planes_.view(), in_crop(fit.landmarks), options);
      fit.iterations += found.iterations;
      double compared = found.error;  // these algorithms have errors of their own
      if (&stage == &stages_.back() && !is_lost(found.status)) {
        fit.parameters = stage.fitter.parameters_of(planes_.view(), found.shape);
        compared = stage.fitter.evaluate(planes_.view(), fit.parameters, Form::one_pass).error;
      }
      end_level(fit, i, found.error, found.status, std::move(found.shape), compared);
    }
  }

  Shape in_crop(Shape landmarks) const {
    for (Point& p : landmarks) p = to_crop(crop_, p);
    return landmarks;
  }

  // found: the landmarks in the crop.
  void end_level(Fit& fit, std::size_t i, double error, FitStatus status, Shape found,
                 double compared) const {
    for (Point& p : found) p = to_frame(crop_, p);
    // A landmark that no pixel follows can leave the frame unseen.
    if (!is_lost(status) &&
        !std::all_of(found.begin(), found.end(), [](Point p) { return is_within_reach(p.x, p.y); })) {
      status = FitStatus::lost_outside;
      error = compared = std::numeric_limits<double>::infinity();
    }
    set_outcome(fit, i, error, status, compared);
    if (!is_lost(status)) fit.landmarks = std::move(found);
  }

  int threads_;
  std::vector<CpuStage> stages_;
  std::optional<RefinerCpu> refiner_;
  Crop crop_;  // of planes_
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
