// The ten steps of the paper one after the other, one pixel after the other: the reference for the one-pass
// form and the bench's baseline. T is the type of every stored number; sums are in double.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "fit/cpu/pass_kernels.hpp"
#include "fit/fit_math.hpp"

namespace triptych::aam_fit {

template <class T>
class PaperFit {
 public:
  // The level must outlive this.
  explicit PaperFit(const Level& level)
      : level_(&level),
        shape_(2 * static_cast<std::size_t>(level.points)),
        sampled_(static_cast<std::size_t>(level.samples())),
        model_(sampled_.size()) {}

  struct Found {
    double error = 0, alpha = 0, beta = 0;
    bool contrast = false;
    std::int64_t outside = 0;
  };

  // p: modes + 4. Afterwards residual() is that of p, unless there is no contrast.
  Found evaluate(const PassPlanes& planes, const T* p) {
    Found found;
    shape_of(p);                     // 1, 2: the shape and its pose
    found.outside = sample(planes);  // 3: the texture under it
    normalise(found);                // 4 to 7: its mean, its spread, its gain; both taken out
    if (!found.contrast) return found;
    model_texture(p);  // 8: what the model has there
    double error = 0;  // 9: the difference and its square
    for (std::size_t i = 0; i < sampled_.size(); ++i) {
      sampled_[i] -= model_[i];
      error += double(sampled_[i]) * double(sampled_[i]);
    }
    found.error = error;
    return found;
  }

  // 10: dp = -R r.
  void step(double* dp) const {
    const std::int64_t n = level_->samples();
    for (int j = 0; j < level_->modes + 4; ++j) {
      const float* row = level_->R.data() + j * n;
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += double(T(row[i]) * sampled_[static_cast<std::size_t>(i)]);
      dp[j] = -sum;
    }
  }

  const std::vector<T>& shape() const { return shape_; }  // interleaved, of the last evaluation
  const std::vector<T>& residual() const { return sampled_; }

 private:
  void shape_of(const T* p) {
    const int m = level_->modes;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      T s = T(level_->s0[static_cast<std::int64_t>(i)]);
      const float* Qs = level_->Qs.data() + static_cast<std::ptrdiff_t>(i) * m;
      for (int k = 0; k < m; ++k) s += T(Qs[k]) * p[k];
      shape_[i] = s;
    }
    const T scale = 1 + p[m], rotation = p[m + 1], tx = p[m + 2], ty = p[m + 3];
    for (std::size_t i = 0; i < shape_.size(); i += 2) {
      const T x = shape_[i], y = shape_[i + 1];
      shape_[i] = scale * x - rotation * y + tx;
      shape_[i + 1] = rotation * x + scale * y + ty;
    }
  }

  std::int64_t sample(const PassPlanes& planes) {
    const std::int64_t pixels = level_->pixels(), channels = level_->samples() / pixels;
    const T last_x = T(planes.width - 1), last_y = T(planes.height - 1);
    std::int64_t outside = 0;
    for (std::int64_t i = 0; i < pixels; ++i) {
      const WarpPixel& w = level_->frame.pixels[i];
      const T a = T(w.a), b = T(w.b), c = 1 - a - b;
      const T* p = shape_.data() + 2 * w.corners[0];
      const T* q = shape_.data() + 2 * w.corners[1];
      const T* r = shape_.data() + 2 * w.corners[2];
      const T x = a * p[0] + b * q[0] + c * r[0], y = a * p[1] + b * q[1] + c * r[1];
      outside += x >= 0 && x <= last_x && y >= 0 && y <= last_y ? 0 : 1;
      const T cx = x > 0 ? std::min(x, last_x) : T(0), cy = y > 0 ? std::min(y, last_y) : T(0);
      const int ix = std::min(static_cast<int>(cx), planes.width - 2);
      const int iy = std::min(static_cast<int>(cy), planes.height - 2);
      const T u = cx - T(ix), v = cy - T(iy);
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        const float* above = planes.data + (channel * planes.height + iy) * planes.pitch + ix;
        const float* below = above + planes.pitch;
        const T upper = T(above[0]) + u * (T(above[1]) - T(above[0]));
        const T lower = T(below[0]) + u * (T(below[1]) - T(below[0]));
        sampled_[static_cast<std::size_t>(channel * pixels + i)] = upper + v * (lower - upper);
      }
    }
    return outside;
  }

  void normalise(Found& found) {
    const auto n = static_cast<double>(sampled_.size());
    double sum = 0;
    for (const T v : sampled_) sum += double(v);
    found.beta = sum / n;
    double spread = 0, dot = 0, g0g0 = 0;
    for (std::size_t i = 0; i < sampled_.size(); ++i) {
      const double g0 = double{level_->g0[static_cast<std::int64_t>(i)]},
                   x = double(sampled_[i]) - found.beta;
      spread += x * x;
      dot += x * g0;
      g0g0 += g0 * g0;
    }
    found.alpha = texture_alpha(level_->normalisation, dot, spread, g0g0);
    const double offset = found.beta - double{level_->sample_offset};
    found.contrast = has_contrast(found.alpha, spread, spread + n * offset * offset, g0g0);
    if (!found.contrast) {
      found.alpha = std::min(found.alpha, 0.0);
      found.error = std::numeric_limits<double>::infinity();
      return;
    }
    const T beta = T(found.beta), gain = T(1 / found.alpha);
    for (T& v : sampled_) v = (v - beta) * gain;
  }

  void model_texture(const T* c) {
    const std::int64_t n = level_->samples();
    for (std::int64_t i = 0; i < n; ++i) model_[static_cast<std::size_t>(i)] = T(level_->g0[i]);
    for (int k = 0; k < level_->modes; ++k) {
      const float* mode = level_->Qg.data() + k * n;
      for (std::int64_t i = 0; i < n; ++i) model_[static_cast<std::size_t>(i)] += c[k] * T(mode[i]);
    }
  }

  const Level* level_;
  std::vector<T> shape_, sampled_, model_;
};

}  // namespace triptych::aam_fit
