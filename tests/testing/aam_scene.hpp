// A made-up level for tests and benches of the fit, and an image to fit it to: 68 landmarks on a grid of
// triangles, a smooth textured image, whose texture at `truth` (and a little noise) is the level's mean. R is
// the pseudo-inverse of the level's own Jacobian there, so that a fit from `start` moves a little, gets
// better and stays in the image. The same numbers for the same arguments.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/planes.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace triptych::test {

struct AamSceneOptions {
  std::int64_t pixels = 4096;  // samples: pixels * channels
  int modes = 20;
  int channels = 1;
  double noise = 0.1;  // in what is fitted to, as a share of the texture's contrast
  double away = 1;     // how far the start is off; 1: about 1.5 % of the face
  std::uint64_t seed = 1;
};

struct AamScene {
  aam_fit::Level level;
  aam_fit::Planes planes;           // to fit to
  std::vector<float> truth, start;  // parameters
};

namespace detail {

constexpr int aam_columns = 17, aam_rows = 4, aam_points = aam_columns * aam_rows;

inline double uniform(PhiloxStream& random, double low, double high) {
  return low + (high - low) * double{random.next_uniform()};
}

// Waves of random directions around 120, none shorter than a twelfth of the face.
inline aam_fit::Planes aam_image(int width, int height, int channels, double face, std::uint64_t seed) {
  aam_fit::Planes planes(width, height, channels);
  constexpr int waves = 10;
  parallel_for(0, std::int64_t{channels} * height, 0, [&](std::int64_t row) {
    const auto channel = static_cast<int>(row / height);
    PhiloxStream random(seed, 100 + static_cast<std::uint64_t>(channel));
    double kx[waves], phase[waves];
    for (int i = 0; i < waves; ++i) {
      const double turn = uniform(random, 0, 2 * std::numbers::pi);
      const double k = uniform(random, 1, 12) * 2 * std::numbers::pi / face;
      kx[i] = k * std::cos(turn);
      phase[i] =
          uniform(random, 0, 2 * std::numbers::pi) + k * std::sin(turn) * static_cast<double>(row % height);
    }
    const auto out = planes.plane(channel).row(row % height);
    for (int x = 0; x < width; ++x) {
      double v = 120;
      for (int i = 0; i < waves; ++i) v += 12 * std::cos(kx[i] * x + phase[i]);
      out[static_cast<std::size_t>(x)] = static_cast<float>(v);
    }
  });
  return planes;
}

inline aam_fit::ReferenceFrame aam_frame(std::int64_t pixels, int width, int height) {
  std::vector<std::int32_t> places;
  std::vector<aam_fit::WarpPixel> warp;
  places.reserve(static_cast<std::size_t>(pixels));
  warp.reserve(static_cast<std::size_t>(pixels));
  for (std::int32_t i = 0; i < pixels; ++i) {
    const std::int32_t line = i / width;
    const double x = i - line * width, y = line;
    const double u = width > 1 ? x / (width - 1) * (aam_columns - 1) : 0;
    const double v = height > 1 ? y / (height - 1) * (aam_rows - 1) : 0;
    const int column = std::min(static_cast<int>(u), aam_columns - 2);
    const int row = std::min(static_cast<int>(v), aam_rows - 2);
    const double p = u - column, q = v - row;
    const auto corner = [&](int dx, int dy) {
      return static_cast<std::uint16_t>((row + dy) * aam_columns + column + dx);
    };
    // Above the diagonal (0,0), (1,0), (1,1), below it (0,0), (1,1), (0,1).
    if (p >= q)
      warp.push_back(
          {{corner(1, 0), corner(1, 1), corner(0, 0)}, 0, static_cast<float>(p - q), static_cast<float>(q)});
    else
      warp.push_back(
          {{corner(1, 1), corner(0, 1), corner(0, 0)}, 0, static_cast<float>(p), static_cast<float>(q - p)});
    places.push_back(i);
  }
  return {width, height, std::move(places), std::move(warp), 1.0};
}

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

// A level that has no texture yet: no g0, no R.
inline aam_fit::Level aam_level(std::int64_t pixels, int modes, int channels, std::uint64_t seed) {
  aam_fit::Level level;
  const std::int64_t n = pixels * channels;
  const auto m = static_cast<std::size_t>(modes);
  const auto width = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(pixels))));
  const auto height = static_cast<int>((pixels + width - 1) / width);
  const double face = std::sqrt(static_cast<double>(std::max(width - 1, 1)) * std::max(height - 1, 1));
  level.points = aam_points;
  level.modes = modes;
  level.face_size_px = face;
  level.frame = aam_frame(pixels, width, height);
  level.kappa = 118;

  std::vector<float> s0;
  s0.reserve(2 * aam_points);
  for (int row = 0; row < aam_rows; ++row)
    for (int column = 0; column < aam_columns; ++column) {
      s0.push_back((static_cast<float>(column) / (aam_columns - 1) - 0.5f) * static_cast<float>(width - 1));
      s0.push_back((static_cast<float>(row) / (aam_rows - 1) - 0.5f) * static_cast<float>(height - 1));
    }
  level.s0 = std::move(s0);

  // A sigma of the first mode moves landmarks by about 1 % of the face; later modes have smaller ones. Half
  // of a mode's length is in the shape, half in the texture.
  std::vector<float> Qs(2 * aam_points * m), Ks(Qs.size()), sigma(m), Qg(m * static_cast<std::size_t>(n));
  const double per_sigma = 0.1;
  PhiloxStream random(seed, 1);
  for (float& v : Qs) v = static_cast<float>(0.01 * face / per_sigma) * random.next_normal_pair().first;
  const double weight = std::sqrt(0.5) / (0.01 * face / per_sigma * std::sqrt(2.0 * aam_points));
  for (std::size_t k = 0; k < m; ++k) {
    sigma[k] = static_cast<float>(per_sigma / std::sqrt(1 + static_cast<double>(k)));
    for (std::size_t i = 0; i < 2 * aam_points; ++i)
      Ks[k * 2 * aam_points + i] = static_cast<float>(weight * weight) * Qs[i * m + k];
  }
  parallel_for(0, modes, 0, [&](std::int64_t k) {
    PhiloxStream own(seed, 10000 + static_cast<std::uint64_t>(k));
    const auto size = static_cast<float>(std::sqrt(0.5 / static_cast<double>(n)));
    for (std::int64_t i = 0; i < n; i += 2) {
      const NormalPair pair = own.next_normal_pair();
      Qg[static_cast<std::size_t>(k * n + i)] = size * pair.first;
      if (i + 1 < n) Qg[static_cast<std::size_t>(k * n + i + 1)] = size * pair.second;
    }
  });
  level.Qs = std::move(Qs);
  level.Ks = std::move(Ks);
  level.Qg = std::move(Qg);
  level.sigma = std::move(sigma);
  return level;
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

}  // namespace detail

// Parameters off the scene's truth, another way for each number.
inline std::vector<float> aam_start(const AamScene& scene, double away, std::uint64_t seed,
                                    std::uint64_t number) {
  PhiloxStream random(seed, 1000 + number);
  const auto m = static_cast<std::size_t>(scene.level.modes);
  std::vector<float> start = scene.truth;
  for (std::size_t k = 0; k < m; ++k)
    start[k] += static_cast<float>(0.3 * away) * scene.level.sigma[static_cast<std::int64_t>(k)] *
                random.next_normal_pair().first;
  start[m] += static_cast<float>(0.01 * away * detail::uniform(random, -1, 1));
  start[m + 1] += static_cast<float>(0.01 * away * detail::uniform(random, -1, 1));
  start[m + 2] +=
      static_cast<float>(0.015 * away * scene.level.face_size_px * detail::uniform(random, -1, 1));
  start[m + 3] +=
      static_cast<float>(0.015 * away * scene.level.face_size_px * detail::uniform(random, -1, 1));
  return start;
}

inline AamScene make_aam_scene(const AamSceneOptions& options) {
  using namespace detail;
  require(options.pixels >= 4 && options.modes >= 0 && options.channels >= 1, "no scene of ", options.pixels,
          " pixels, ", options.modes, " modes and ", options.channels, " channels");
  AamScene scene;
  scene.level = aam_level(options.pixels, options.modes, options.channels, options.seed);
  // Twice the face each way, so that the face and what a fit does to it stay inside.
  const int width = std::max(16, 2 * scene.level.frame.width),
            height = std::max(16, 2 * scene.level.frame.height);
  const aam_fit::Planes clean =
      aam_image(width, height, options.channels, std::max(scene.level.face_size_px, 8.0), options.seed);
  const auto m = static_cast<std::size_t>(options.modes);
  std::vector<double> truth(m + 4, 0.0);
  truth[m] = 0.03;
  truth[m + 1] = -0.05;
  truth[m + 2] = 0.5 * (width - 1) + 0.3;
  truth[m + 3] = 0.5 * (height - 1) - 0.2;
  const double contrast = aam_learn(scene.level, clean, truth);

  scene.planes = clean;
  PhiloxStream grain(options.seed, 2);
  for (float& v : scene.planes.values)
    v += static_cast<float>(options.noise * contrast) * grain.next_normal_pair().first;
  scene.truth.assign(truth.begin(), truth.end());
  scene.start = aam_start(scene, options.away, options.seed, 0);
  return scene;
}

// Whole steps, so many of them, whatever the error does: what the paper times.
inline aam_fit::FitOptions whole_steps(int iterations, aam_fit::Storage storage = aam_fit::Storage::float32,
                                       aam_fit::Form form = aam_fit::Form::one_pass) {
  aam_fit::FitOptions options;
  options.always_step = true;
  options.most_iterations = iterations;
  options.storage = storage;
  options.form = form;
  return options;
}

}  // namespace triptych::test
