#include <algorithm>
#include <array>
#include <cmath>

#include "fit/fit_math.hpp"
#include "fit/refine/refine_cpu.hpp"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {

namespace {

// In a fixed order, whatever the compiler does with it.
float dot(const float* a, const float* b, int count) {
  constexpr int parts = 16;
  std::array<float, parts> sums{};
  int i = 0;
  for (; i + parts <= count; i += parts)
    for (int k = 0; k < parts; ++k) sums[static_cast<std::size_t>(k)] += a[i + k] * b[i + k];
  float sum = 0;
  for (const float part : sums) sum += part;
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

RefinerCpu::RefinerCpu(const Model& model)
    : level_(model.levels.back()),
      patches_(model.refinement),
      side_(patches_.patch_samples),
      channels_(channels(level_.features)),
      samples_(static_cast<int>(patches_.g0.size())),
      rows_(static_cast<int>(patches_.rows())),
      parameters_(level_.modes + 4),
      g0g0_(0) {
  for (const float g : patches_.g0) g0g0_ += double{g} * double{g};
  const auto coordinates = 2 * static_cast<std::size_t>(level_.points);
  const auto count = static_cast<std::size_t>(samples_), rows = static_cast<std::size_t>(rows_);
  const auto parameters = static_cast<std::size_t>(parameters_);
  start_.resize(parameters);
  now_.resize(parameters);
  model_.resize(coordinates);
  shape_.resize(coordinates);
  before_.resize(coordinates);
  for (std::vector<float>* samples : {&texture_, &fitted_, &gx_, &gy_}) samples->resize(count);
  weights_.resize(rows);
  sums_.resize(static_cast<std::size_t>(level_.points));
  products_.resize(rows * coordinates);
  B_.resize(coordinates * parameters);
  A_.resize(rows * parameters);
  system_.resize((parameters + 1) * parameters);
}

void RefinerCpu::refine(PlanesView planes, int steps, std::span<float> parameters) {
  std::copy(parameters.begin(), parameters.end(), start_.begin());
  now_ = start_;
  place_landmarks();
  before_ = shape_;
  for (int i = 0; i < steps; ++i)
    if (!step(planes)) return;
  place_landmarks();
  const double most = max_refinement * level_.face_size_px;
  for (std::size_t i = 0; i < before_.size(); i += 2) {
    const double x = double{shape_[i]} - double{before_[i]},
                 y = double{shape_[i + 1]} - double{before_[i + 1]};
    if (!(x * x + y * y <= most * most)) return;
  }
  std::transform(now_.begin(), now_.end(), parameters.begin(),
                 [](double p) { return static_cast<float>(p); });
}

bool RefinerCpu::step(PlanesView planes) {
  place_landmarks();
  sample(planes);
  if (!normalise()) return false;
  fit_texture();
  add_up_patches();
  return solve();
}

void RefinerCpu::place_landmarks() {
  const int m = level_.modes;
  const double* pose = now_.data() + m;
  const double a = 1 + pose[0], b = pose[1];
  for (std::size_t i = 0; i < model_.size(); ++i) {
    const float* row = level_.Qs.data() + static_cast<std::int64_t>(i) * m;
    double sum = double{level_.s0[static_cast<std::int64_t>(i)]};
    for (int k = 0; k < m; ++k) sum += double{row[k]} * now_[static_cast<std::size_t>(k)];
    model_[i] = sum;
  }
  for (std::size_t i = 0; i < model_.size(); i += 2) {
    shape_[i] = static_cast<float>(a * model_[i] - b * model_[i + 1] + pose[2]);
    shape_[i + 1] = static_cast<float>(b * model_[i] + a * model_[i + 1] + pose[3]);
  }
}

void RefinerCpu::sample(PlanesView planes) {
  const auto width = static_cast<std::int32_t>(planes.width()),
             height = static_cast<std::int32_t>(planes.height());
  const auto pitch =
      static_cast<std::int32_t>(planes.stacked.pitch_bytes() / static_cast<std::int64_t>(sizeof(float)));
  const int area = side_ * side_;
  for (std::int64_t i = 0; i < patches_.pixels.size(); ++i) {
    const WarpPoint at = warp_point(patches_.pixels[i], shape_.data());
    const Tap tap = tap_at(at.x, at.y, width, height, pitch);
    float* out = texture_.data() + i / area * area * channels_ + i % area;
    for (int c = 0; c < channels_; ++c)
      out[c * area] = aam_fit::sample(planes.stacked.data() + std::int64_t{c} * height * pitch, tap);
  }
}

bool RefinerCpu::normalise() {
  double sum = 0;
  for (const float x : texture_) sum += double{x};
  const double beta = sum / samples_;
  double spread = 0, along = 0, squares = 0;
  for (int i = 0; i < samples_; ++i) {
    const double x = double{texture_[static_cast<std::size_t>(i)]};
    spread += (x - beta) * (x - beta);
    along += (x - beta) * double{patches_.g0[i]};
    squares += x * x;
  }
  const double alpha = texture_alpha(level_.normalisation, along, spread, g0g0_);
  if (!has_contrast(alpha, spread, squares, g0g0_)) return false;
  for (int i = 0; i < samples_; ++i) {
    float& x = texture_[static_cast<std::size_t>(i)];
    x = static_cast<float>((double{x} - beta) / alpha - double{patches_.g0[i]});
  }
  return true;
}

// From the residual to what the basis leaves of it, and the model's texture.
void RefinerCpu::fit_texture() {
  const float* basis = patches_.basis.data();
  for (int k = 0; k < rows_; ++k)
    weights_[static_cast<std::size_t>(k)] =
        dot(basis + std::int64_t{k} * samples_, texture_.data(), samples_);
  std::fill(fitted_.begin(), fitted_.end(), 0.0f);
  for (int k = 0; k < rows_; ++k) {
    const float* values = basis + std::int64_t{k} * samples_;
    const float weight = weights_[static_cast<std::size_t>(k)];
    for (int i = 0; i < samples_; ++i) fitted_[static_cast<std::size_t>(i)] += weight * values[i];
  }
  for (int i = 0; i < samples_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    texture_[at] -= fitted_[at];
    fitted_[at] += patches_.g0[i];
  }
}

void RefinerCpu::add_up_patches() {
  const int area = side_ * side_, size = area * channels_, m = level_.modes, points = level_.points;
  const double a = 1 + now_.data()[m], b = now_.data()[m + 1];
  const auto per_px = static_cast<float>(1 / patches_.pitch_px);
  for (int i = 0; i < samples_; ++i) {
    const PatchPixel at = patch_pixel(i, side_, channels_);
    const PatchGradient g = patch_gradient(fitted_.data() + i / area * area, side_, at.u, at.v, per_px,
                                           static_cast<float>(a), static_cast<float>(b));
    gx_[static_cast<std::size_t>(i)] = g.x;
    gy_[static_cast<std::size_t>(i)] = g.y;
  }
  for (int l = 0; l < points; ++l) {
    const float *x = gx_.data() + l * size, *y = gy_.data() + l * size, *r = texture_.data() + l * size;
    sums_[static_cast<std::size_t>(l)] = {dot(x, x, size), dot(x, y, size), dot(y, y, size), dot(x, r, size),
                                          dot(y, r, size)};
    for (int k = 0; k < rows_; ++k) {
      const float* row = patches_.basis.data() + std::int64_t{k} * samples_ + std::int64_t{l} * size;
      float* product = products_.data() + 2 * (std::int64_t{k} * points + l);
      product[0] = dot(row, x, size);
      product[1] = dot(row, y, size);
    }
    const auto at = 2 * static_cast<std::size_t>(l);
    for (int j = 0; j < parameters_; ++j) {
      const float* Qs = level_.Qs.data() + 2 * std::int64_t{l} * m;
      const bool is_mode = j < m;
      const Moved by = moved_by(j, m, is_mode ? Qs[j] : 0.0f, is_mode ? Qs[m + j] : 0.0f, model_[at],
                                model_[at + 1], a, b);
      B_[at * static_cast<std::size_t>(parameters_) + static_cast<std::size_t>(j)] = by.x;
      B_[(at + 1) * static_cast<std::size_t>(parameters_) + static_cast<std::size_t>(j)] = by.y;
    }
  }
}

bool RefinerCpu::solve() {
  const int q = parameters_, points = level_.points;
  const auto B = [&](int coordinate) { return B_.data() + std::int64_t{coordinate} * q; };
  const auto system = [&](int row) { return system_.data() + std::int64_t{row} * q; };
  double trace = 0;
  for (const PatchSums& sums : sums_) trace += double{sums.xx} + double{sums.yy};
  const double prior = prior_weight * trace / (2 * points);

  std::fill(A_.begin(), A_.end(), 0.0);
  for (int k = 0; k < rows_; ++k) {
    double* row = A_.data() + std::int64_t{k} * q;
    for (int i = 0; i < 2 * points; ++i) {
      const double product = double{products_.data()[2 * std::int64_t{points} * k + i]};
      for (int j = 0; j < q; ++j) row[j] += product * B(i)[j];
    }
  }
  // The lower triangle, and the right side below it.
  std::fill(system_.begin(), system_.end(), 0.0);
  double* right = system(q);
  for (int l = 0; l < points; ++l) {
    const PatchSums& s = sums_[static_cast<std::size_t>(l)];
    const double *x = B(2 * l), *y = B(2 * l + 1);
    double dx = 0, dy = 0;  // how far the landmark is from the start, to first order
    for (int j = 0; j < q; ++j) {
      const double d = now_[static_cast<std::size_t>(j)] - start_[static_cast<std::size_t>(j)];
      dx += x[j] * d;
      dy += y[j] * d;
    }
    for (int i = 0; i < q; ++i) {
      const double along_x = x[i] * (double{s.xx} + prior) + y[i] * double{s.xy};
      const double along_y = x[i] * double{s.xy} + y[i] * (double{s.yy} + prior);
      for (int j = 0; j <= i; ++j) system(i)[j] += along_x * x[j] + along_y * y[j];
      right[i] -= x[i] * (double{s.x} + prior * dx) + y[i] * (double{s.y} + prior * dy);
    }
  }
  for (int k = 0; k < rows_; ++k) {
    const double* row = A_.data() + std::int64_t{k} * q;
    for (int i = 0; i < q; ++i)
      for (int j = 0; j <= i; ++j) system(i)[j] -= row[i] * row[j];
  }

  // Cholesky, the right side as one more row; then back.
  for (int j = 0; j < q; ++j) {
    double* pivot_row = system(j);
    if (!(pivot_row[j] > 0)) return false;
    const double pivot = std::sqrt(pivot_row[j]);
    for (int i = j + 1; i <= q; ++i) system(i)[j] /= pivot;
    pivot_row[j] = pivot;
    for (int i = j + 1; i <= q; ++i) {
      double* row = system(i);
      for (int k = j + 1; k <= std::min(i, q - 1); ++k) row[k] -= row[j] * system(k)[j];
    }
  }
  for (int j = q - 1; j >= 0; --j) {
    right[j] /= system(j)[j];
    for (int i = 0; i < j; ++i) right[i] -= right[j] * system(j)[i];
    now_[static_cast<std::size_t>(j)] += right[j];
  }
  return true;
}

}  // namespace triptych::aam_fit
