// What a made-up level learns from an image: its mean texture, and R, the pseudo-inverse of its own Jacobian
// there. In double.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/planes.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace triptych::test::detail {

// Interleaved landmarks of parameters, in double.
inline std::vector<double> aam_shape(const aam_fit::Level& level, const std::vector<double>& p) {
  const auto m = static_cast<std::size_t>(level.modes);
  std::vector<double> shape(2 * static_cast<std::size_t>(level.points));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = double{level.s0[static_cast<std::int64_t>(i)]};
    for (std::size_t k = 0; k < m; ++k)
      shape[i] += double{level.Qs[static_cast<std::int64_t>(i * m + k)]} * p[k];
  }
  for (std::size_t i = 0; i < shape.size(); i += 2) {
    const double x = shape[i], y = shape[i + 1];
    shape[i] = (1 + p[m]) * x - p[m + 1] * y + p[m + 2];
    shape[i + 1] = p[m + 1] * x + (1 + p[m]) * y + p[m + 3];
  }
  return shape;
}

// Bilinear samples under a shape, in double; places outside are clamped.
inline std::vector<double> aam_sample(const aam_fit::Level& level, const aam_fit::Planes& planes,
                                      const std::vector<double>& shape) {
  const std::int64_t pixels = level.pixels();
  std::vector<double> texture(static_cast<std::size_t>(pixels * planes.channels));
  for (std::int64_t i = 0; i < pixels; ++i) {
    const aam_fit::WarpPixel& w = level.frame.pixels[i];
    const double a = double{w.a}, b = double{w.b}, c = 1 - a - b;
    const auto place = [&](int axis) {
      const auto at = [&](int k) {
        return shape[2 * std::size_t{w.corners[k]} + static_cast<std::size_t>(axis)];
      };
      return a * at(0) + b * at(1) + c * at(2);
    };
    const double x = std::clamp(place(0), 0.0, planes.width - 1.0),
                 y = std::clamp(place(1), 0.0, planes.height - 1.0);
    const int ix = std::min(static_cast<int>(x), planes.width - 2),
              iy = std::min(static_cast<int>(y), planes.height - 2);
    const double u = x - ix, v = y - iy;
    for (int channel = 0; channel < planes.channels; ++channel) {
      const float* p =
          planes.values.data() + (std::int64_t{channel} * planes.height + iy) * planes.width + ix;
      const double above = (1 - u) * double{p[0]} + u * double{p[1]};
      const double below = (1 - u) * double{p[planes.width]} + u * double{p[planes.width + 1]};
      texture[static_cast<std::size_t>(channel * pixels + i)] = (1 - v) * above + v * below;
    }
  }
  return texture;
}

// (x - beta) / alpha.
inline void aam_normalise(std::vector<double>& x, const SharedArray<float>& g0) {
  const auto n = static_cast<double>(x.size());
  double sum = 0, dot = 0, sum_g0 = 0, g0g0 = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double g = double{g0[static_cast<std::int64_t>(i)]};
    sum += x[i];
    dot += x[i] * g;
    sum_g0 += g;
    g0g0 += g * g;
  }
  const double beta = sum / n, alpha = (dot - beta * sum_g0) / g0g0;
  for (double& v : x) v = (v - beta) / alpha;
}

// Rows (J'J + ridge)^-1 J' of the residual's Jacobian at p, by central differences.
inline std::vector<float> aam_update(const aam_fit::Level& level, const aam_fit::Planes& planes,
                                     const std::vector<double>& p) {
  const auto m = static_cast<std::size_t>(level.modes), count = m + 4;
  const auto n = static_cast<std::size_t>(level.samples());
  std::vector<std::vector<double>> J(count);
  parallel_for(0, static_cast<std::int64_t>(count), 0, [&](std::int64_t column) {
    const auto j = static_cast<std::size_t>(column);
    const double h = j < m ? 0.01 : j < m + 2 ? 0.002 : 0.2;
    const auto moved = [&](double by) {
      std::vector<double> q = p;
      q[j] += by;
      std::vector<double> r = aam_sample(level, planes, aam_shape(level, q));
      aam_normalise(r, level.g0);
      if (j < m)
        for (std::size_t i = 0; i < n; ++i)
          r[i] -= by * double{level.Qg[static_cast<std::int64_t>(j * n + i)]};
      return r;
    };
    const std::vector<double> ahead = moved(h), behind = moved(-h);
    J[j].resize(n);
    for (std::size_t i = 0; i < n; ++i) J[j][i] = (ahead[i] - behind[i]) / (2 * h);
  });
  // Cholesky factor of J'J, with a little added on the diagonal, lest it be singular (n < count).
  std::vector<double> L(count * count);
  parallel_for(0, static_cast<std::int64_t>(count), 0, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    for (std::size_t j = 0; j <= i; ++j) {
      double dot = 0;
      for (std::size_t k = 0; k < n; ++k) dot += J[i][k] * J[j][k];
      L[i * count + j] = i == j ? 1.001 * dot + 1e-12 : dot;
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double v = L[i * count + j];
      for (std::size_t k = 0; k < j; ++k) v -= L[i * count + k] * L[j * count + k];
      L[i * count + j] = i == j ? std::sqrt(v) : v / L[j * count + j];
    }
  }
  std::vector<float> R(count * n);
  parallel_chunks(static_cast<std::int64_t>(n), 1024, 0,
                  [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                    std::vector<double> y(count);
                    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
                      for (std::size_t i = 0; i < count; ++i) {
                        y[i] = J[i][s];
                        for (std::size_t k = 0; k < i; ++k) y[i] -= L[i * count + k] * y[k];
                        y[i] /= L[i * count + i];
                      }
                      for (std::size_t i = count; i-- > 0;) {
                        for (std::size_t k = i + 1; k < count; ++k) y[i] -= L[k * count + i] * y[k];
                        y[i] /= L[i * count + i];
                        R[i * n + s] = static_cast<float>(y[i]);
                      }
                    }
                  });
  return R;
}

// Takes g0 from the planes at parameters, of length 1, and R. Returns the texture's contrast.
inline double aam_learn(aam_fit::Level& level, const aam_fit::Planes& planes,
                        const std::vector<double>& truth) {
  const std::vector<double> texture = aam_sample(level, planes, aam_shape(level, truth));
  const auto n = static_cast<double>(texture.size());
  double mean = 0, norm = 0;
  for (const double v : texture) mean += v / n;
  for (const double v : texture) norm += (v - mean) * (v - mean);
  std::vector<float> g0;
  g0.reserve(texture.size());
  for (const double v : texture) g0.push_back(static_cast<float>((v - mean) / std::sqrt(norm)));
  level.g0 = std::move(g0);
  level.R = aam_update(level, planes, truth);
  return std::sqrt(norm / n);
}

}  // namespace triptych::test::detail
