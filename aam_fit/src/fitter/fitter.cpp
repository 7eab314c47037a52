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
  require(options.most_faces >= 1, "a batch cannot have ", options.most_faces, " faces");
  if (options.algorithm == Algorithm::regression) return;
  require(!device.is_cuda(), "the inverse compositional algorithms run on the CPU alone");
  for (const Level& level : model.levels)
    require(level.shape_modes > 0, "this model was trained without what inverse compositional fitting needs");
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

class Fitter::Impl {
 public:
  Impl(const Model& model, const FitterOptions& options, const Device& device)
      : model_(model), options_(options), on_gpu_(device.is_cuda()) {
    check_fitter_options(model, options, device);
    engine_ = on_gpu_ ? make_cuda_fitter_engine(model_, options_, device.ordinal())
                      : make_cpu_fitter_engine(model_, options_, device.threads());
  }

  void check(const Face& face) const {
    require(!face.frame.empty(), "an empty frame has no face");
    require(!on_gpu_ ||
                (face.frame.width() <= options_.most_width && face.frame.height() <= options_.most_height),
            "a frame of ", face.frame.width(), " x ", face.frame.height(), " is larger than the ",
            options_.most_width, " x ", options_.most_height, " that were foreseen");
    require(static_cast<std::int64_t>(face.start.size()) == model_.points, "a model of ", model_.points,
            " points cannot start from ", face.start.size());
    require(std::all_of(face.start.begin(), face.start.end(),
                        [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
            "a start has a point that is not finite");
  }

  Model model_;
  FitterOptions options_;
  bool on_gpu_;
  std::unique_ptr<FitterEngine> engine_;
  int in_flight_ = 0;
};

Fitter::Fitter(const Model& model, const FitterOptions& options, const Device& device)
    : impl_(std::make_unique<Impl>(model, options, device)) {}
Fitter::Fitter(Fitter&&) noexcept = default;
Fitter& Fitter::operator=(Fitter&&) noexcept = default;
Fitter::~Fitter() = default;

const Model& Fitter::model() const { return impl_->model_; }

Fit Fitter::fit(const Face& face) {
  std::vector<Fit> fits = fit(std::span(&face, 1));
  return std::move(fits.front());
}

std::vector<Fit> Fitter::fit(std::span<const Face> faces) {
  require(impl_->in_flight_ == 0, "a fit cannot begin while submitted frames are not fetched");
  for (const Face& face : faces) impl_->check(face);
  if (faces.empty()) return {};
  return impl_->engine_->fit(faces);
}

void Fitter::submit(const Face& face) {
  require(impl_->in_flight_ < most_in_flight, "no more than ", most_in_flight,
          " frames can be in flight: call next() first");
  impl_->check(face);
  impl_->engine_->submit(face);
  ++impl_->in_flight_;
}

Fit Fitter::next() {
  require(impl_->in_flight_ > 0, "next() without a submitted frame");
  --impl_->in_flight_;
  return impl_->engine_->next();
}

int Fitter::in_flight() const { return impl_->in_flight_; }

GreyImage Fitter::texture(const Fit& fit) const {
  const Level& level = impl_->model_.levels.back();
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
