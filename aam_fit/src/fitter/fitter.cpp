// Fitter: checks its arguments, measures latencies and leaves the fits to its engine.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include "crop/prepare_cpu.hpp"
#include "crop/prepare_math.hpp"
#include "fit/fit_checks.hpp"
#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

void check_fitter_options(const Model& model, const FitterOptions& options, const Device& device) {
  constexpr std::array kinds = {DeviceKind::cpu, DeviceKind::cuda};
  require_kind(device, kinds, "Fitter");
  check_options(options.fit);
  check_model(model);
  require(options.crop_margin >= 0 && options.crop_margin <= 10, "a crop cannot have a margin of ",
          options.crop_margin, " face sizes");
  for (const Level& level : model.levels) crop_for(level, mean_shape(level), options.crop_margin);
  require(options.max_faces >= 1 && options.max_faces <= 65535,
          "a batch (max_faces) has 1 to 65535 faces, not ", options.max_faces);
  require(options.max_width >= 1 && options.max_height >= 1 && options.max_width < max_reach_px &&
              options.max_height < max_reach_px,
          "frames (max_width, max_height) cannot be ", options.max_width, " x ", options.max_height,
          " pixels");
  require(options.starts >= 1 && options.starts <= 9, "a face is fitted from 1 to 9 starts, not ",
          options.starts);
  require(options.refinement_steps >= 0 && options.refinement_steps <= 10,
          "a fit is refined in 0 to 10 steps (refinement_steps), not ", options.refinement_steps);
  require(options.max_faces <= 65535 / options.starts, "a batch (max_faces) of ", options.max_faces,
          " faces with ", options.starts, " starts each is too large: at most 65535 in all");
  require(options.min_confidence >= 0 && options.min_confidence <= 1,
          "a confidence (min_confidence) lies in 0..1, not at ", options.min_confidence);
  require(options.algorithm == Algorithm::regression || options.algorithm == Algorithm::project_out ||
              options.algorithm == Algorithm::simultaneous,
          "there is no algorithm number ", static_cast<int>(options.algorithm));
  if (options.algorithm == Algorithm::regression) return;
  require(!device.is_cuda(), "the inverse compositional algorithms run on the CPU alone");
  for (const Level& level : model.levels)
    require(level.shape_modes > 0, "this model was trained without what inverse compositional fitting needs");
}

std::unique_ptr<FitterEngine> make_engine(const Model& model, const FitterOptions& options,
                                          const Device& device) {
  check_fitter_options(model, options, device);
  return device.is_cuda() ? make_cuda_fitter_engine(model, options, device.ordinal())
                          : make_cpu_fitter_engine(model, options, device.threads());
}

}  // namespace

Shape start_in_box(const Model& model, const Box& box, std::int64_t frame_width, std::int64_t frame_height) {
  require(std::isfinite(box.x) && std::isfinite(box.y) && box.width > 0 && box.height > 0 &&
              std::isfinite(box.width) && std::isfinite(box.height),
          "a face box of ", box.width, " x ", box.height, " pixels at (", box.x, ", ", box.y, ") is empty");
  require(box.x < static_cast<double>(frame_width) && box.y < static_cast<double>(frame_height) &&
              box.x + box.width > 0 && box.y + box.height > 0,
          "the face box of ", box.width, " x ", box.height, " pixels at (", box.x, ", ", box.y,
          ") lies outside the frame of ", frame_width, " x ", frame_height);
  return place_in_box(model.mean, box);
}

class Fitter::Impl {
 public:
  Impl(const Model& model, const FitterOptions& options, const Device& on)
      : engine(make_engine(model, options, on)), device(on) {}

  Fit timed(Fit fit, const Stopwatch& watch) {
    fit.latency_us = watch.elapsed_us();
    latencies.add(fit.latency_us);
    return fit;
  }

  template <class AnyFace>
  std::vector<Fit> step(std::span<const AnyFace> faces) {
    const Stopwatch watch;
    require(engine->in_flight() == 0,
            "step() while submitted frames are in flight: call next() or reset() first");
    for (const AnyFace& face : faces) engine->check(face);
    if (faces.empty()) return {};
    require(std::all_of(faces.begin(), faces.end(),
                        [&](const AnyFace& face) { return face.start_alone == faces[0].start_alone; }),
            "some faces of a call are to be fitted from their start alone, and some are not");
    std::vector<Fit> fits = engine->fit(faces);
    for (Fit& fit : fits) fit = timed(std::move(fit), watch);
    return fits;
  }

  template <class AnyFace>
  void submit(const AnyFace& face) {
    const Stopwatch watch;
    require(engine->in_flight() < max_in_flight, "no more than ", max_in_flight,
            " frames can be in flight: call next() first");
    engine->check(face);
    submitted.push_back(watch);
    try {
      engine->submit(face);
    } catch (...) {
      submitted.pop_back();
      throw;
    }
  }

  std::unique_ptr<FitterEngine> engine;
  Device device;
  LatencyHistogram latencies;
  std::deque<Stopwatch> submitted;  // of the frames in flight
};

Fitter::Fitter(const Model& model, const FitterOptions& options, const Device& device)
    : impl_(std::make_unique<Impl>(model, options, device)) {}
Fitter::Fitter(Fitter&&) noexcept = default;
Fitter& Fitter::operator=(Fitter&&) noexcept = default;
Fitter::~Fitter() = default;

Fit Fitter::step(const Face& face) { return std::move(step(std::span(&face, 1)).front()); }
Fit Fitter::step(const DeviceFace& face) { return std::move(step(std::span(&face, 1)).front()); }
std::vector<Fit> Fitter::step(std::span<const Face> faces) { return impl_->step(faces); }
std::vector<Fit> Fitter::step(std::span<const DeviceFace> faces) { return impl_->step(faces); }
void Fitter::submit(const Face& face) { impl_->submit(face); }
void Fitter::submit(const DeviceFace& face) { impl_->submit(face); }

Fit Fitter::next() {
  require(in_flight() > 0, "next() without a submitted frame");
  Fit fit = impl_->engine->next();
  const Stopwatch watch = impl_->submitted.front();
  impl_->submitted.pop_front();
  return impl_->timed(std::move(fit), watch);
}

int Fitter::in_flight() const { return impl_->engine->in_flight(); }
void Fitter::wait(const Event& event) { impl_->engine->wait(event); }

void Fitter::reset() {
  impl_->submitted.clear();
  impl_->latencies = {};
  impl_->engine->drop();
}

const Device& Fitter::device() const { return impl_->device; }
Latency Fitter::latency() const { return impl_->latencies.latency(); }
const Model& Fitter::model() const { return impl_->engine->model(); }

std::string Fitter::describe() const {
  return describe_model(model()) + " on " + impl_->device.describe() + "; " +
         impl_->engine->describe_levels();
}

Image<Grey8> Fitter::texture(const Fit& fit) const {
  const Level& level = model().levels.back();
  require(fit.parameters.size() == static_cast<std::size_t>(level.modes) + 4, "the finest level has ",
          level.modes + 4, " parameters, the fit ", fit.parameters.size());
  require(std::all_of(fit.parameters.begin(), fit.parameters.end(), [](float v) { return std::isfinite(v); }),
          "there is no texture at parameters of a fit that are not finite");
  const auto to_grey = [](float v) {  // sums of large parameters can be NaN: 0
    return static_cast<std::uint8_t>(v > 0 ? std::lround(std::min(v, 255.0f)) : 0);
  };
  const std::int64_t n = level.samples(), pixels = level.pixels(), channels = n / pixels;
  std::vector<float> texture(level.g0.begin(), level.g0.end());
  for (int k = 0; k < level.modes; ++k) {
    const float c = fit.parameters[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < n; ++i) texture[static_cast<std::size_t>(i)] += c * level.Qg[k * n + i];
  }
  // Several channels become their length: the strength of an edge.
  if (channels > 1)
    for (std::int64_t i = 0; i < pixels; ++i) {
      float squares = 0;
      for (std::int64_t c = 0; c < channels; ++c) {
        const float v = texture[static_cast<std::size_t>(c * pixels + i)];
        squares += v * v;
      }
      texture[static_cast<std::size_t>(i)] = std::sqrt(squares);
    }
  const auto end = texture.begin() + pixels;
  const auto [low, high] = std::minmax_element(texture.begin(), end);
  const float lowest = *low, scale = *high > *low ? 255.0f / (*high - *low) : 0.0f;
  Image<Grey8> image(level.frame.width, level.frame.height);
  for (std::int64_t i = 0; i < pixels; ++i)
    image.pixels[static_cast<std::size_t>(level.frame.raster_indices[i])] = {
        to_grey((texture[static_cast<std::size_t>(i)] - lowest) * scale)};
  return image;
}

}  // namespace triptych::aam_fit
