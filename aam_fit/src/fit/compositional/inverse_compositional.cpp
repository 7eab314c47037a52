// Inverse compositional fitting. With B an orthonormal basis of everything the texture may do (its modes, an
// offset, a gain), S the steepest descent images of the warp's parameters in the model's frame and S' = S - S
// B'B: dp = (S'S'')^-1 S' r. project_out takes S at the mean texture, once; simultaneous takes it at the
// texture fitted so far, every time, which is Gauss-Newton in warp and texture together, the texture's part
// eliminated.
#include <triptych/aam_fit/inverse_compositional.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fit/compositional/warp_composition.hpp"
#include "fit/cpu/level_fitter.hpp"
#include "fit/fit_checks.hpp"
#include "fit/fit_math.hpp"
#include "fit/texture_basis.hpp"
#include "warp/warp.hpp"

namespace triptych::aam_fit {

namespace {

using Row = Eigen::Matrix<float, 1, Eigen::Dynamic>;

// Derivatives of textures along x and y of the planes, from neighbours in the raster: central where both are
// there, else one-sided.
class RasterGradient {
 public:
  explicit RasterGradient(const ReferenceFrame& frame)
      : pixels_(frame.size()), scale_(static_cast<float>(frame.scale)) {
    std::vector<std::int32_t> at(
        static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height), -1);
    for (std::int64_t i = 0; i < pixels_; ++i)
      at[static_cast<std::size_t>(frame.raster_indices[i])] = static_cast<std::int32_t>(i);
    const auto pixel = [&](int x, int y) {
      return x < 0 || y < 0 || x >= frame.width || y >= frame.height
                 ? -1
                 : at[static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width) +
                      static_cast<std::size_t>(x)];
    };
    pairs_.reserve(static_cast<std::size_t>(2 * pixels_));
    for (std::int32_t i = 0; i < pixels_; ++i) {
      const int x = frame.raster_indices[i] % frame.width, y = frame.raster_indices[i] / frame.width;
      pairs_.push_back(pair(pixel(x - 1, y), i, pixel(x + 1, y)));
      pairs_.push_back(pair(pixel(x, y - 1), i, pixel(x, y + 1)));
    }
  }

  // texture: channels * pixels; gx, gy: as many.
  template <class In, class Out>
  void operator()(const In& texture, Out gx, Out gy) const {
    const std::int64_t channels = texture.size() / pixels_;
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < pixels_; ++i) {
        const std::int64_t first = c * pixels_;
        const Pair &h = pairs_[static_cast<std::size_t>(2 * i)],
                   &v = pairs_[static_cast<std::size_t>(2 * i + 1)];
        gx(first + i) = (texture(first + h.after) - texture(first + h.before)) * h.factor;
        gy(first + i) = (texture(first + v.after) - texture(first + v.before)) * v.factor;
      }
  }

 private:
  struct Pair {
    std::int32_t before, after;
    float factor;
  };
  Pair pair(std::int32_t before, std::int32_t self, std::int32_t after) const {
    const bool both = before >= 0 && after >= 0;
    return {before >= 0 ? before : self, after >= 0 ? after : self, both ? 0.5f * scale_ : scale_};
  }
  std::int64_t pixels_;
  float scale_;
  std::vector<Pair> pairs_;
};

}  // namespace

class CompositionalFitter::Impl {
 public:
  Impl(Level level, Compositional kind, int threads)
      : level_((check_level(level), std::move(level))), kind_(kind), threads_(threads), warp_(level_) {
    require(kind == Compositional::project_out || kind == Compositional::simultaneous,
            "there is no inverse compositional algorithm number ", static_cast<int>(kind));
    const std::int64_t n = level_.samples(), k = level_.texture_modes;
    require(level_.Pg.size() == k * n, "a level's Pg has ", level_.Pg.size(), " numbers instead of ", k * n);
    pixels_ = level_.pixels();
    g0_ = Eigen::Map<const Row>(level_.g0.data(), n);
    modes_ = Eigen::Map<const TextureRows>(level_.Pg.data(), k, n);
    basis_ = texture_basis(modes_, g0_);
    make_jacobian();
    const RasterGradient gradient(level_.frame);
    const Eigen::Index textures = kind_ == Compositional::simultaneous ? k + 1 : 1;
    gx_.resize(textures, n);
    gy_.resize(textures, n);
    gradient(g0_, gx_.row(0), gy_.row(0));
    parallel_for(1, textures, threads_,
                 [&](std::int64_t i) { gradient(modes_.row(i - 1), gx_.row(i), gy_.row(i)); });
    texture_.resize(static_cast<std::size_t>(n));
    shape_.resize(2 * static_cast<std::size_t>(level_.points));
    descend(gx_.row(0), gy_.row(0));
  }

  Result fit(PlanesView planes, std::span<const Point> start, const FitOptions& options) {
    check_options(options);
    pass_planes(planes, static_cast<int>(level_.samples() / pixels_));
    require(static_cast<std::int64_t>(start.size()) == level_.points, "a level of ", level_.points,
            " points cannot start from ", start.size());
    const FitRules rules = fit_rules(options, pixels_);
    Result result;
    Shape now = warp_.to_model(start);
    FitState<double> state;
    begin(state, rules, evaluate(planes, now));
    Eigen::VectorXd dp;
    if (state.running) dp = step();
    while (state.running) {
      const Eigen::VectorXd part = trial_scale(state) * dp;
      const Shape trial = warp_.compose(now, std::span(part.data(), static_cast<std::size_t>(part.size())));
      double move = 0;
      for (std::size_t i = 0; i < now.size(); ++i)
        move = std::max(move, length(trial[i].x - now[i].x, trial[i].y - now[i].y));
      if (!judge(state, rules, evaluate(planes, trial), move)) continue;
      now = trial;
      if (state.running) dp = step();
    }
    result.shape = std::move(now);
    result.error = state.error;
    result.iterations = state.iterations;
    result.status = state.status;
    return result;
  }

 private:
  // How far each pixel moves with each parameter: those of its corners, weighted.
  void make_jacobian() {
    jx_.resize(warp_.parameter_count(), pixels_);
    jy_.resize(warp_.parameter_count(), pixels_);
    for (std::int64_t i = 0; i < pixels_; ++i) {
      const WarpPixel& w = level_.frame.pixels[i];
      const double weights[3] = {double{w.a}, double{w.b}, 1 - double{w.a} - double{w.b}};
      for (int j = 0; j < warp_.parameter_count(); ++j) {
        const std::span<const double> basis = warp_.basis(j);
        double x = 0, y = 0;
        for (int k = 0; k < 3; ++k) {
          x += weights[k] * basis[2 * std::size_t{w.corners[k]}];
          y += weights[k] * basis[2 * std::size_t{w.corners[k]} + 1];
        }
        jx_(j, i) = static_cast<float>(x);
        jy_(j, i) = static_cast<float>(y);
      }
    }
  }

  // Steepest descent images of a texture with these derivatives, without what the texture may do, and their
  // Hessian's factor.
  void descend(const Row& gx, const Row& gy) {
    const std::int64_t channels = g0_.size() / pixels_;
    descent_.resize(jx_.rows(), g0_.size());
    parallel_for(0, descent_.rows(), threads_, [&](std::int64_t j) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto x = gx.segment(c * pixels_, pixels_), y = gy.segment(c * pixels_, pixels_);
        descent_.row(j).segment(c * pixels_, pixels_) =
            x.cwiseProduct(jx_.row(j)) + y.cwiseProduct(jy_.row(j));
      }
      const Row along = descent_.row(j) * basis_.transpose();
      descent_.row(j) -= along * basis_;
    });
    Eigen::MatrixXd hessian = (descent_ * descent_.transpose()).cast<double>();
    hessian.diagonal().array() += 1e-9 * hessian.trace() + std::numeric_limits<double>::min();
    factor_.compute(hessian);
  }

  // Leaves the normalised residual in residual_.
  Evaluation<double> evaluate(PlanesView planes, const Shape& shape) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      shape_[2 * i] = static_cast<float>(shape[i].x);
      shape_[2 * i + 1] = static_cast<float>(shape[i].y);
    }
    Evaluation<double> evaluation{std::numeric_limits<double>::infinity(), false,
                                  warp_cpu(planes, level_.frame, shape_, texture_)};
    const Eigen::Map<const Row> x(texture_.data(), g0_.size());
    const auto n = static_cast<double>(x.size());
    const double sample_offset = double{level_.sample_offset}, beta = x.cast<double>().mean();
    residual_ = (x.array() - static_cast<float>(beta)).matrix();
    const double spread = residual_.cast<double>().squaredNorm(), g0g0 = g0_.cast<double>().squaredNorm();
    const double dot = residual_.cast<double>().dot(g0_.cast<double>());
    const double alpha = texture_alpha(level_.normalisation, dot, spread, g0g0);
    evaluation.contrast =
        has_contrast(alpha, spread, spread + n * (beta - sample_offset) * (beta - sample_offset), g0g0);
    if (!evaluation.contrast) return evaluation;
    residual_ = residual_ * static_cast<float>(1 / alpha) - g0_;
    const Row along = residual_ * basis_.transpose();
    evaluation.error = (residual_ - along * basis_).cast<double>().squaredNorm();
    return evaluation;
  }

  Eigen::VectorXd step() {
    if (kind_ == Compositional::simultaneous && modes_.rows() > 0) {
      const Row c = residual_ * modes_.transpose();
      const auto k = modes_.rows();
      descend(gx_.row(0) + c * gx_.bottomRows(k), gy_.row(0) + c * gy_.bottomRows(k));
    }
    return factor_.solve((descent_ * residual_.transpose()).cast<double>());
  }

  Level level_;
  Compositional kind_;
  int threads_;
  WarpComposition warp_;
  std::int64_t pixels_ = 0;
  Row g0_, residual_;
  TextureRows modes_, basis_, jx_, jy_, gx_, gy_, descent_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
  std::vector<float> texture_, shape_;
};

CompositionalFitter::CompositionalFitter(Level level, Compositional kind, int threads)
    : impl_(std::make_unique<Impl>(std::move(level), kind, threads)) {}
CompositionalFitter::CompositionalFitter(CompositionalFitter&&) noexcept = default;
CompositionalFitter& CompositionalFitter::operator=(CompositionalFitter&&) noexcept = default;
CompositionalFitter::~CompositionalFitter() = default;

CompositionalFitter::Result CompositionalFitter::fit(PlanesView planes, std::span<const Point> start,
                                                     const FitOptions& options) {
  return impl_->fit(planes, start, options);
}

}  // namespace triptych::aam_fit
