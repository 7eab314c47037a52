// The GPU engine of a Fitter. All levels of a fit are enqueued at once, the crop of each following on the
// device from the level before, so that the host waits for the result alone. Frames in flight have their own
// memory and stream: a frame is uploaded while the one before it is fitted; the fits themselves, which share
// the levels' matrices and scratch, come one after the other.
#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "crop/prepare_cpu.hpp"
#include "crop/prepare_cuda.hpp"
#include "fit/refine/refine_cuda.hpp"
#include "fitter/fitter_engine.hpp"
#include "fitter/fitter_job.hpp"
#include "fitter/fitter_kernels.hpp"

namespace triptych::aam_fit {

namespace {

struct CudaStage {
  LevelFitterCuda fitter;
  Features features;
  FitterLevel level;                     // but for what belongs to a job
  bool keeps_parameters;                 // of the stage before it
  int starts;                            // that are fitted
  std::vector<DevicePlanesView> planes;  // of each face
  std::vector<DevicePlanesView> shared;  // of each fit from all starts
};

class CudaEngine final : public FitterEngine {
 public:
  // `device` is the current GPU.
  CudaEngine(const Model& model, const FitterOptions& options, const Device& device)
      : FitterEngine(model, options), device_(device) {
    const Stream stream;
    stages_.reserve(model.levels.size());
    std::int64_t max_planes = 0, max_scratch = 0;  // of all faces
    for (const Level& level : model.levels) {
      add_stage(level, stream);
      const CudaStage& stage = stages_.back();
      const std::int64_t size = std::int64_t{stage.level.width} * stage.level.height;
      max_planes = std::max(max_planes, options.max_faces * size * channels(level.features));
      max_scratch =
          std::max(max_scratch,
                   options.max_faces * scratch_floats(stage.level.width, stage.level.height, level.features));
      max_parameters_ = std::max(max_parameters_, stage.fitter.parameter_count());
    }
    if (refines())
      refiner_.emplace(model, options.refinement_steps, options.max_faces * stages_.back().starts, stream);
    planes_ = DeviceBuffer<float>(max_planes);
    scratch_ = DeviceBuffer<float>(max_scratch);
    for (CudaStage& stage : stages_) {
      const int count = channels(stage.features);
      const std::int64_t rows = std::int64_t{stage.level.height} * count, face = rows * stage.level.width;
      for (std::int64_t i = 0; i < options.max_faces; ++i) {
        stage.planes.push_back(
            {DeviceImageView<const float>(planes_.data() + i * face, stage.level.width, rows), count});
        stage.shared.insert(stage.shared.end(), static_cast<std::size_t>(stage.starts), stage.planes.back());
      }
    }
    const std::int64_t frame = std::int64_t{options.max_width} * options.max_height;
    for (auto& slot : slots_) {
      slot.emplace(1, options.starts, model.points, max_parameters_);
      slot->staging = PinnedBuffer<std::uint8_t>(frame);
      slot->pixels = DeviceBuffer<std::uint8_t>(frame);
    }
    if (options.max_faces > 1)
      batch_.emplace(options.max_faces, options.starts, model.points, max_parameters_);
    stream.synchronize();
  }

  ~CudaEngine() override {
    forget();
    end_reads();
  }
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  std::vector<Fit> fit(std::span<const Face> faces) override { return fit_all(faces); }
  std::vector<Fit> fit(std::span<const DeviceFace> faces) override { return fit_all(faces); }
  void submit(const Face& face) override { submit_one(face); }
  void submit(const DeviceFace& face) override { submit_one(face); }

  Fit next() override {
    Job& job = *slots_[fetched_ % slots_.size()];
    job.done.synchronize();
    Fit fit = result(job, 0);
    ++fetched_;
    return fit;
  }

  int in_flight() const override { return static_cast<int>(submitted_ - fetched_); }

  // Fits come one after the other: those after the next one wait as well.
  void wait(const Event& event) override {
    slots_[submitted_ % slots_.size()]->stream.wait(event);
    if (batch_) batch_->stream.wait(event);
  }

  void drop() override {
    forget();
    settle();
  }

 private:
  template <class AnyFace>
  std::vector<Fit> fit_all(std::span<const AnyFace> faces) {
    try {
      return batch_ && faces.size() > 1 ? fit_in_batches(faces) : fit_in_flight(faces);
    } catch (...) {
      forget();
      end_reads();
      throw;
    }
  }

  template <class AnyFace>
  void submit_one(const AnyFace& face) {
    const DeviceGuard guard(device_);
    try {
      begin(*slots_[submitted_ % slots_.size()], std::span<const AnyFace>(&face, 1));
    } catch (...) {
      end_reads();
      throw;
    }
    ++submitted_;
  }

  // Nothing is in flight any more, but may still run.
  void forget() {
    settled_ = settled_ && fetched_ == submitted_;
    fetched_ = submitted_;
  }
  // After an error, which counts more than those met here.
  void end_reads() noexcept {
    try {
      settle();
    } catch (...) {  // the next fit tries again
    }
  }

  template <class AnyFace>
  std::vector<Fit> fit_in_batches(std::span<const AnyFace> faces) {
    const DeviceGuard guard(device_);
    std::vector<Fit> fits;
    fits.reserve(faces.size());
    const auto most = static_cast<std::size_t>(options_.max_faces);
    for (std::size_t i = 0; i < faces.size(); i += most) {
      const auto part = faces.subspan(i, std::min(most, faces.size() - i));
      begin(*batch_, part);
      settled_ = false;  // until the memory of the batch is free again
      batch_->done.synchronize();
      settled_ = true;
      for (std::size_t k = 0; k < part.size(); ++k)
        fits.push_back(result(*batch_, static_cast<std::int64_t>(k)));
    }
    return fits;
  }

  template <class AnyFace>
  std::vector<Fit> fit_in_flight(std::span<const AnyFace> faces) {
    std::vector<Fit> fits;
    fits.reserve(faces.size());
    for (const AnyFace& face : faces) {
      if (in_flight() == max_in_flight) fits.push_back(next());
      submit_one(face);
    }
    while (in_flight() > 0) fits.push_back(next());
    return fits;
  }

  void check_size(std::int64_t width, std::int64_t height) const override {
    require(width <= options_.max_width && height <= options_.max_height, "a frame of ", width, " x ", height,
            " is larger than ", options_.max_width, " x ", options_.max_height,
            ": raise FitterOptions::max_width and max_height");
  }
  void check_device_frames() const override {}
  std::string describe_level(std::size_t level) const override { return stages_[level].fitter.describe(); }

  void add_stage(const Level& level, StreamRef stream) {
    const std::size_t i = stages_.size();
    const Level* before = i > 0 ? &model_.levels[i - 1] : nullptr;
    const Shape mean = mean_shape(level);
    const Box box = bounds(mean);
    const Crop crop = crop_for(level, mean, crop_margin(i));  // its size depends on the level alone
    FitterLevel common{};
    common.points = level.points;
    common.level = static_cast<std::int32_t>(i);
    common.centre_x = box.x + 0.5 * box.width;
    common.centre_y = box.y + 0.5 * box.height;
    common.width = crop.width;
    common.height = crop.height;
    common.keeps_planes = before != nullptr && shares_planes(level, *before);
    const bool keeps_parameters = before != nullptr && shares_parameters(level, *before);
    s0_.emplace_back(level.s0.size());
    copy_to_device(level.s0.span(), s0_.back().span(), stream);
    common.s0 = s0_.back().data();
    const int starts = i < choice() ? options_.starts : 1;
    stages_.push_back(
        {LevelFitterCuda(level, level_options(options_, level), options_.max_faces * starts, stream),
         level.features,
         common,
         keeps_parameters,
         starts,
         {},
         {}});
    stages_.back().level.parameters = stages_.back().fitter.parameter_count();
  }

  // Waits for whatever a call that failed, or was dropped, has left on the device.
  void settle() {
    if (settled_) return;
    for (const auto& slot : slots_) slot->stream.synchronize();
    if (batch_) batch_->stream.synchronize();
    settled_ = true;
  }

  // Enqueues the fit.
  template <class AnyFace>
  void begin(Job& job, std::span<const AnyFace> faces) {
    settle();
    settled_ = false;  // unless all of the following succeeds
    const bool alone = faces.front().start_alone;
    const int count = static_cast<int>(faces.size()), each = start_count(alone);
    job.set_frames(faces);
    double* landmarks = job.pinned_landmarks.data();
    for (const AnyFace& face : faces)
      for (const Shape& start : starts(face.start, alone))
        for (const Point& p : start) *landmarks++ = p.x, *landmarks++ = p.y;
    job.stream.wait(last_fit_);
    if (count > 1 || !job.warm) {
      enqueue(job, count, each);
      job.warm = true;
    } else {
      std::optional<Graph>& graph = job.graphs[alone ? 1 : 0];
      if (!graph) graph = Graph::capture(job.stream, [&] { enqueue(job, 1, each); });
      graph->launch(job.stream);
    }
    last_fit_.record(job.stream);
    job.done.record(job.stream);
    settled_ = true;
  }

  // each: fits of a face, of which the best goes on after choice() levels.
  void enqueue(Job& job, int count, int each) {
    const StreamRef stream = job.stream;
    FitBuffers* state = each > 1 ? &job.tried : &job.best;
    upload(job, *state, count, each);
    FitterLevel level{};
    for (CudaStage& stage : stages_) {
      const bool before_choice = stage.level.level < static_cast<std::int32_t>(choice());
      if (!before_choice && state == &job.tried) choose(job, level, state);
      level = stage.level;
      level.faces = count;
      level.starts = before_choice ? each : 1;
      level.frames = job.frames.data();
      level.landmarks = state->landmarks.data();
      level.crops = job.crops.data();
      level.shapes = job.shapes.data();
      level.fitted = state->parameters.data();
      level.fits = job.fits.data();
      level.kept = state->kept.data();
      level.kept_stride = max_parameters_;
      level.summaries = state->summaries.data();
      if (level.level == 0) launch_reset(level, stream);
      enqueue_level(job, *state, stage, level);
    }
    if (state == &job.tried) choose(job, level, state);
    const std::int64_t coordinates = std::int64_t{count} * 2 * model_.points;
    const auto some = static_cast<std::size_t>(count);
    copy_to_host(state->landmarks.span().first(coordinates),
                 job.pinned_landmarks.span().first(static_cast<std::size_t>(coordinates)), stream);
    copy_to_host(state->kept.span().first(std::int64_t{count} * max_parameters_),
                 job.pinned_kept.span().first(some * static_cast<std::size_t>(max_parameters_)), stream);
    copy_to_host(state->summaries.span().first(count), job.pinned_summaries.span().first(some), stream);
  }

  void upload(Job& job, FitBuffers& state, std::int64_t count, int each) const {
    const std::int64_t coordinates = count * each * 2 * model_.points;
    copy_to_device(job.pinned_frames.span().first(static_cast<std::size_t>(count)),
                   job.frames.span().first(count), job.stream);
    copy_to_device(job.pinned_landmarks.span().first(static_cast<std::size_t>(coordinates)),
                   state.landmarks.span().first(coordinates), job.stream);
  }

  // The best fits go on.
  static void choose(Job& job, const FitterLevel& last, FitBuffers*& state) {
    FitBuffers& best = job.best;
    launch_choose(last,
                  {best.landmarks.data(), best.parameters.data(), best.kept.data(), best.summaries.data()},
                  job.stream);
    state = &best;
  }

  void enqueue_level(Job& job, FitBuffers& state, CudaStage& stage, const FitterLevel& level) {
    const StreamRef stream = job.stream;
    const std::int64_t fits = std::int64_t{level.faces} * level.starts;
    if (!stage.keeps_parameters) launch_begin_level(level, stream);
    if (!level.keeps_planes) {
      PrepareTask task;
      task.faces = level.faces;
      task.width = level.width;
      task.height = level.height;
      task.frames = level.frames;
      task.crops = level.crops;
      task.scratch = scratch_.data();
      task.planes = planes_.data();
      task.pitch = level.width;
      task.face = std::int64_t{level.width} * level.height * channels(stage.features);
      launch_prepare(task, stage.features, stream);
    }
    const auto planes = std::span<const DevicePlanesView>(level.starts > 1 ? stage.shared : stage.planes)
                            .first(static_cast<std::size_t>(fits));
    const auto parameters = state.parameters.span().first(fits * level.parameters);
    const auto shapes = job.shapes.span().first(fits * 2 * model_.points);
    if (!stage.keeps_parameters) stage.fitter.parameters_of(planes, shapes, parameters, stream);
    fit_cuda(stage.fitter, planes, parameters, job.fits.span().first(fits), stream);
    if (refiner_ && &stage == &stages_.back())
      refiner_->refine(planes_.data(), std::int64_t{level.width} * level.height * channels(stage.features),
                       level.width, level.height, level.starts, parameters, job.fits.span().first(fits),
                       stream);
    stage.fitter.shapes_of(parameters, shapes, stream);
    launch_end_level(level, stream);
  }

  Fit result(const Job& job, std::int64_t i) const {
    const FitSummary& summary = job.pinned_summaries.data()[i];
    const auto number = static_cast<std::size_t>(summary.level);
    // lost before its fit: the parameters are those of the level before
    const int parameters = summary.lost != 2 ? stages_[number].level.parameters
                           : number > 0      ? stages_[number - 1].level.parameters
                                             : 0;
    Fit fit;
    const double* landmarks = job.pinned_landmarks.data() + i * 2 * model_.points;
    fit.landmarks.resize(static_cast<std::size_t>(model_.points));
    for (Point& p : fit.landmarks) {
      p = {landmarks[0], landmarks[1]};
      landmarks += 2;
    }
    const float* kept = job.pinned_kept.data() + i * max_parameters_;
    fit.parameters.assign(kept, kept + parameters);
    fit.iterations = summary.iterations;
    set_outcome(fit, number, double{summary.error}, static_cast<FitStatus>(summary.status));
    return fit;
  }

  Device device_;
  int max_parameters_ = 0;
  std::vector<DeviceBuffer<float>> s0_;
  std::vector<CudaStage> stages_;
  std::optional<RefinerCuda> refiner_;
  DeviceBuffer<float> planes_, scratch_;
  Event last_fit_{Timing::off};
  std::array<std::optional<Job>, max_in_flight> slots_;
  std::optional<Job> batch_;
  std::size_t submitted_ = 0, fetched_ = 0;
  bool settled_ = true;  // every fit that is enqueued is in flight, and the next one waits for it by events
};

}  // namespace

std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model& model, const FitterOptions& options,
                                                      int ordinal) {
  const Device device = Device::cuda(ordinal);
  const DeviceGuard guard(device);
  return std::make_unique<CudaEngine>(model, options, device);
}

}  // namespace triptych::aam_fit
