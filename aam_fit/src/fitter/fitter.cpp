// Fitter: checks what it is given and leaves the work to its engine.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/fit_checks.hpp"
#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

void check_fitter_options(const Model& model, const FitterOptions& options, const Device& device) {
  check_options(options.fit);
  require(!model.levels.empty(), "a model without levels cannot be fitted");
  require(options.around >= 0 && options.around <= 10, "a crop cannot hold ", options.around,
          " of the face around it");
  require(options.max_faces >= 1, "a batch cannot have ", options.max_faces, " faces");
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

Shape start_in_box(const Model& model, const Box& box, int frame_width, int frame_height) {
  require(std::isfinite(box.x) && std::isfinite(box.y) && box.width > 0 && box.height > 0 &&
              std::isfinite(box.width) && std::isfinite(box.height),
          "a face box of ", box.width, " x ", box.height, " pixels at (", box.x, ", ", box.y, ") is empty");
  require(box.x < frame_width && box.y < frame_height && box.x + box.width > 0 && box.y + box.height > 0,
          "the face box of ", box.width, " x ", box.height, " pixels at (", box.x, ", ", box.y,
          ") lies outside the frame of ", frame_width, " x ", frame_height);
  return place(model.mean, box);
}

Fitter::Fitter(const Model& model, const FitterOptions& options, const Device& device)
    : engine_(make_engine(model, options, device)) {}
Fitter::Fitter(Fitter&&) noexcept = default;
Fitter& Fitter::operator=(Fitter&&) noexcept = default;
Fitter::~Fitter() = default;

const Model& Fitter::model() const { return engine_->model(); }

Fit Fitter::fit(const Face& face) {
  std::vector<Fit> fits = fit(std::span(&face, 1));
  return std::move(fits.front());
}

std::vector<Fit> Fitter::fit(std::span<const Face> faces) {
  require(in_flight() == 0, "a fit cannot begin while submitted frames are not fetched");
  for (const Face& face : faces) engine_->check(face);
  if (faces.empty()) return {};
  return engine_->fit(faces);
}

void Fitter::submit(const Face& face) {
  require(in_flight() < max_in_flight, "no more than ", max_in_flight,
          " frames can be in flight: call next() first");
  engine_->check(face);
  engine_->submit(face);
}

Fit Fitter::next() {
  require(in_flight() > 0, "next() without a submitted frame");
  return engine_->next();
}

int Fitter::in_flight() const { return engine_->in_flight(); }

GreyImage Fitter::texture(const Fit& fit) const {
  const Level& level = model().levels.back();
  require(fit.parameters.size() == static_cast<std::size_t>(level.modes) + 4, "the finest level has ",
          level.modes + 4, " parameters, the fit ", fit.parameters.size());
  const std::int64_t n = level.samples(), pixels = level.pixels(), channels = n / pixels;
  std::vector<float> texture(level.g0.begin(), level.g0.end());
  for (int k = 0; k < level.modes; ++k) {
    const float c = fit.parameters[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < n; ++i) texture[static_cast<std::size_t>(i)] += c * level.Qg[k * n + i];
  }
  // Several channels become their length, which is how much of an edge there is.
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
  const float least = *low, scale = *high > *low ? 255.0f / (*high - *low) : 0.0f;
  GreyImage image;
  image.width = level.frame.width;
  image.height = level.frame.height;
  image.values.assign(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), 0);
  for (std::int64_t i = 0; i < pixels; ++i)
    image.values[static_cast<std::size_t>(level.frame.places[i])] =
        static_cast<std::uint8_t>(std::lround((texture[static_cast<std::size_t>(i)] - least) * scale));
  return image;
}

}  // namespace triptych::aam_fit
