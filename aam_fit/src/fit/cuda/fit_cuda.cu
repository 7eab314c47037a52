// LevelFitterCuda: a level's arrays on the device, the choice of kernels, and fit_cuda.
#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "fit/cuda/batch_cuda.hpp"
#include "fit/cuda/one_pass_cuda.hpp"
#include "fit/cuda/paper_cuda.hpp"
#include "fit/fit_checks.hpp"
#include "fit/stacked_level.hpp"

namespace triptych::aam_fit {

namespace {

// Batches smaller than this go through the one-pass kernel face by face: a product for a few faces takes as
// long as for many.
constexpr int min_batch = 12;
// Faces of one batch are counted along y of a grid. A longer list is fitted in parts.
constexpr int max_batch = 65535;
constexpr int max_listed_faces = 1 << 20;
constexpr int column_grain = 256;

// The landmarks of parameters; a block owns a shape.
__global__ void shapes_kernel(const LevelOnDevice level, const float* parameters, float* shapes) {
  const int m = level.modes;
  const float* p = parameters + std::int64_t{blockIdx.x} * (m + 4);
  float* shape = shapes + std::int64_t{blockIdx.x} * 2 * level.points;
  for (int i = static_cast<int>(threadIdx.x); i < level.points; i += static_cast<int>(blockDim.x)) {
    float x = level.s0[2 * i], y = level.s0[2 * i + 1];
    const float *row_x = level.Qs + static_cast<std::int64_t>(2 * i) * level.mode_stride,
                *row_y = row_x + level.mode_stride;
    for (int k = 0; k < m; ++k) {
      x = fmaf(row_x[k], p[k], x);
      y = fmaf(row_y[k], p[k], y);
    }
    shape[2 * i] = posed_x(x, y, p + m);
    shape[2 * i + 1] = posed_y(x, y, p + m);
  }
}

template <class T>
DeviceBuffer<T> uploaded(const std::vector<T>& values, StreamRef stream) {
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
  copy_to_device(std::span<const T>(values), buffer.span(), stream);
  stream.synchronize();
  return buffer;
}

// rows x columns into wider rows of zeros, and more of them.
template <class T>
std::vector<T> widened(const T* from, std::int64_t rows, std::int64_t columns, std::int64_t all_rows,
                       std::int64_t stride) {
  std::vector<T> wide(static_cast<std::size_t>(all_rows * stride), T{});
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(from + i * columns, columns, wide.begin() + i * stride);
  return wide;
}

std::vector<float> to_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

FitOptions checked(const Level& level, FitOptions options, int max_faces) {
  require(max_faces >= 1 && max_faces <= max_listed_faces, "max_faces is ", max_faces,
          ": a fitter takes 1 to ", max_listed_faces, " faces");
  check_options(options);
  require(level.samples() > 0 && level.pixels() > 0 && level.samples() % level.pixels() == 0 &&
              level.samples() / level.pixels() < no_channel,
          "a level of ", level.samples(), " samples cannot have ", level.pixels(), " pixels");
  if (options.form == Form::paper) options.storage = Storage::float32;
  return options;
}

}  // namespace

class LevelFitterCuda::Impl {
 public:
  Impl(const Level& level, const FitOptions& options, int max_faces, StreamRef stream)
      : options_(checked(level, options, max_faces)),
        max_faces_(max_faces),
        points_(level.points),
        channels_(static_cast<int>(level.samples() / level.pixels())) {
    if (options_.form == Form::one_pass) {
      plan_ = plan_one_pass(level.samples(), level.modes, level.points, options_.storage,
                            !options_.always_step, current_one_pass_device());
      if (plan_.blocks > 0 && !prepare_one_pass(plan_)) plan_ = {};
    }
    upload(level, stream);
    const FitRules rules = fit_rules(options_, level.pixels());
    rules_ = rules;
    errors_ = DeviceBuffer<float>(std::int64_t{max_faces} * (1 + rules.max_iterations));
    fill_bytes(errors_.span(), 0, stream);
    if (plan_.blocks > 0) {
      resident_fits_ = std::min(resident_fits(plan_), max_faces);
      words_ = DeviceBuffer<uint4>(resident_fits_ * word_count(plan_));
      epochs_ = DeviceBuffer<std::uint32_t>(resident_fits_);
      fill_bytes(words_.span(), 0, stream);
      fill_bytes(epochs_.span(), 0, stream);
    }
    if (options_.form == Form::paper) paper_.emplace(level_, rules, stream);
    batch_.emplace(level_, rules, options_.storage == Storage::float16, std::min(max_faces, max_batch));
    stream.synchronize();
  }

  int parameter_count() const { return level_.modes + 4; }
  DeviceSpan<const float> errors() const { return errors_.span(); }

  std::string describe() const {
    if (paper_) return "ten kernels, product by " + reduction::to_string(paper_->plan());
    const std::string batch = "a product on the tensor cores for batches";
    return plan_.blocks > 0 ? to_string(plan_) + "; " + batch : batch;
  }

  std::vector<PlanesOnDevice>& checked_planes(std::span<const DevicePlanesView> planes) {
    require(static_cast<int>(planes.size()) <= max_faces_, planes.size(), " faces for a fitter made for ",
            max_faces_);
    list_.clear();
    for (const DevicePlanesView& p : planes) {
      require(!p.stacked.empty() && p.channels == channels_ && p.stacked.height() % p.channels == 0,
              "a level of ", channels_, " channels cannot sample planes of ", p.width(), " x ", p.height(),
              " pixels and ", p.channels, " channels");
      require(p.width() == planes[0].width() && p.height() == planes[0].height(),
              "the planes of a batch have different sizes");
      const std::int64_t pitch = p.stacked.pitch_bytes() / static_cast<std::int64_t>(sizeof(float));
      require(p.stacked.pitch_bytes() % static_cast<std::int64_t>(sizeof(float)) == 0 &&
                  pitch * p.height() < (std::int64_t{1} << 31),
              "planes with rows of ", p.stacked.pitch_bytes(), " bytes cannot be sampled");
      list_.push_back({p.stacked.data(), pitch * p.height(), static_cast<std::int32_t>(pitch),
                       static_cast<std::int32_t>(p.width()), static_cast<std::int32_t>(p.height())});
    }
    return list_;
  }

  void fit(std::span<const DevicePlanesView> planes, DeviceSpan<float> parameters,
           DeviceSpan<DeviceLevelFit> results, StreamRef stream) {
    const auto faces = static_cast<std::int64_t>(planes.size());
    require(parameters.size() == faces * parameter_count() && results.size() == faces, "a fit of ", faces,
            " faces needs as many rows of ", parameter_count(), " parameters and as many results, not ",
            parameters.size(), " and ", results.size());
    const std::vector<PlanesOnDevice>& list = checked_planes(planes);
    const std::int64_t errors_per_face = 1 + rules_.max_iterations;
    in_order(stream, [&] {
      if (!paper_ && (plan_.blocks == 0 || faces >= min_batch))
        return for_each_batch(list, [&](std::span<const PlanesOnDevice> part, std::int64_t i) {
          batch_->fit(part, parameters.data() + i * parameter_count(), results.data() + i,
                      errors_.data() + i * errors_per_face, stream);
        });
      for (std::int64_t i = 0; i < faces;) {
        float* const p = parameters.data() + i * parameter_count();
        float* const errors = errors_.data() + i * errors_per_face;
        const auto rest = std::span(list).subspan(static_cast<std::size_t>(i));
        if (paper_) {
          paper_->fit(rest[0], p, results.data() + i, errors, stream);
          ++i;
        } else {
          i += fit_one_pass(rest, p, results.data() + i, errors, stream);
        }
      }
    });
  }

  void parameters_of(std::span<const DevicePlanesView> planes, DeviceSpan<const float> shapes,
                     DeviceSpan<float> parameters, StreamRef stream) {
    const auto faces = static_cast<std::int64_t>(planes.size());
    require(shapes.size() == faces * 2 * points_ && parameters.size() == faces * parameter_count(),
            "the parameters of ", faces, " shapes: ", shapes.size(), " coordinates and ", parameters.size(),
            " parameters do not fit");
    const std::vector<PlanesOnDevice>& list = checked_planes(planes);
    in_order(stream, [&] {
      for_each_batch(list, [&](std::span<const PlanesOnDevice> part, std::int64_t i) {
        batch_->parameters_of(part, shapes.data() + i * 2 * points_, texture_determines_c_,
                              parameters.data() + i * parameter_count(), stream);
      });
    });
  }

  void shapes_of(DeviceSpan<const float> parameters, DeviceSpan<float> shapes, StreamRef stream) const {
    const std::int64_t faces = parameters.size() / parameter_count();
    require(parameters.size() == faces * parameter_count() && shapes.size() == faces * 2 * points_,
            "the shapes of ", parameters.size(), " parameters: ", shapes.size(), " coordinates do not fit");
    if (faces > 0)
      launch(shapes_kernel, LaunchShape{static_cast<unsigned>(faces), 128}, stream, level_, parameters.data(),
             shapes.data());
  }

 private:
  // Enqueues as many of these fits as run side by side, and returns their number.
  int fit_one_pass(std::span<const PlanesOnDevice> planes, float* parameters, DeviceLevelFit* results,
                   float* errors, StreamRef stream) {
    OnePassArguments g{level_,
                       planes[0],
                       {},
                       rules_,
                       plan_.columns,
                       options_.batched_line_search ? one_pass_group : 1,
                       static_cast<std::int32_t>(word_count(plan_)),
                       parameters,
                       results,
                       errors,
                       words_.data(),
                       epochs_.data()};
    int fits = 0;
    for (const PlanesOnDevice& p : planes) {
      if (fits == resident_fits_ || p.pitch != planes[0].pitch) break;
      g.data[fits++] = p.data;
    }
    launch_one_pass(plan_, g, fits, stream);
    return fits;
  }

  // Enqueues work that uses the fitter's scratch, after all such work before it, whatever its stream. A graph
  // that is being captured can be ordered by its launches alone.
  template <class Enqueue>
  void in_order(StreamRef stream, const Enqueue& enqueue) {
    if (stream.is_capturing()) return enqueue();
    stream.wait(last_use_);
    try {
      enqueue();
    } catch (...) {
      try {
        last_use_.record(stream);  // a part may have been enqueued
      } catch (const Error&) {     // the first error is the one to report
      }
      throw;
    }
    last_use_.record(stream);
  }

  // enqueue(part, index of its first face) for parts of no more than max_batch faces.
  template <class Enqueue>
  static void for_each_batch(std::span<const PlanesOnDevice> list, const Enqueue& enqueue) {
    for (std::size_t i = 0; i < list.size(); i += max_batch)
      enqueue(list.subspan(i, std::min<std::size_t>(max_batch, list.size() - i)),
              static_cast<std::int64_t>(i));
  }

  void upload(const Level& level, StreamRef stream) {
    const StackedLevel s = stack(level, options_.storage, 0);
    const int m = s.modes;
    LevelOnDevice& d = level_;
    d.samples = static_cast<std::int32_t>(s.samples);
    d.modes = m;
    d.points = level.points;
    d.sample_offset = level.sample_offset;
    d.g0g0 = s.g0g0;
    d.sum_g0 = s.sum_g0;
    d.per_sample = 1.0 / static_cast<double>(s.samples);
    d.g0g0_f = static_cast<float>(s.g0g0);
    d.per_g0g0_f = static_cast<float>(1.0 / s.g0g0);
    d.sum_g0_f = static_cast<float>(s.sum_g0);
    d.per_sample_f = static_cast<float>(d.per_sample);
    d.normalisation = level.normalisation;
    texture_determines_c_ = level.texture_determines_c;
    const bool planned = plan_.blocks > 0;
    d.slots = planned ? slots(plan_) : s.rows();
    d.mode_stride = planned ? padded_modes(plan_.rows_per_warp) : m;
    d.padded = planned ? padded_samples(plan_) : (s.samples + column_grain - 1) / column_grain * column_grain;

    matrix_ = uploaded(widened(s.matrix.data(), s.rows(), s.samples, d.slots, d.padded), stream);
    d.matrix = matrix_.data();
    if (options_.storage == Storage::float16) {
      halves_ = uploaded(widened(s.halves.data(), s.rows(), s.samples, d.slots, d.padded), stream);
      d.halves = halves_.data();
    }
    std::vector<float> scale(static_cast<std::size_t>(d.slots), 1.0f);
    std::copy(s.scale.begin(), s.scale.end(), scale.begin());
    scale_ = uploaded(scale, stream);
    d.scale = scale_.data();

    std::vector<SampleWarp> sample_warps(static_cast<std::size_t>(d.padded),
                                         {{0, 0, 0}, no_channel, 0.0f, 0.0f});
    for (std::int64_t i = 0; i < s.samples; ++i) {
      const WarpPixel& pixel = level.frame.pixels[i % level.pixels()];
      for (const std::uint16_t corner : pixel.corners)
        require(corner < level.points, "a pixel of a level of ", level.points, " points has the corner ",
                corner);
      sample_warps[static_cast<std::size_t>(i)] = {{pixel.corners[0], pixel.corners[1], pixel.corners[2]},
                                                   static_cast<std::uint16_t>(i / level.pixels()),
                                                   pixel.a,
                                                   pixel.b};
    }
    sample_warps_ = uploaded(sample_warps, stream);
    d.sample_warps = sample_warps_.data();

    require(level.s0.size() == 2 * level.points && level.Qs.size() == std::int64_t{2} * level.points * m &&
                level.Ks.size() == level.Qs.size(),
            "s0, Qs or Ks of a level of ", level.points, " points and ", m, " modes has another size");
    std::vector<float> small(level.s0.begin(), level.s0.end());
    const auto append = [&small](const std::vector<float>& more) {
      const auto at = static_cast<std::int64_t>(small.size());
      small.insert(small.end(), more.begin(), more.end());
      return at;
    };
    const std::int64_t Qs =
        append(widened(level.Qs.data(), 2 * level.points, m, 2 * level.points, d.mode_stride));
    const std::int64_t Ks = append({level.Ks.begin(), level.Ks.end()});
    std::vector<double> products = s.RQg;
    products.insert(products.end(), s.G.begin(), s.G.end());
    products.insert(products.end(), s.z1.begin(), s.z1.end());
    products.insert(products.end(), s.z0.begin(), s.z0.end());
    const std::vector<float> floats = to_floats(products);
    const std::int64_t known = append(widened(floats.data(), 2 * m + 6, m, 2 * m + 6, d.mode_stride));
    const std::int64_t R1 = append(to_floats(s.R1)), Rg0 = append(to_floats(s.Rg0));
    small_ = uploaded(small, stream);
    d.s0 = small_.data();
    d.Qs = small_.data() + Qs;
    d.Ks = small_.data() + Ks;
    d.products = small_.data() + known;
    d.R1 = small_.data() + R1;
    d.Rg0 = small_.data() + Rg0;
    texture_determines_c_ = level.texture_determines_c;
    list_.reserve(static_cast<std::size_t>(max_faces_));
  }

  FitOptions options_;
  FitRules rules_{};
  int max_faces_, points_, channels_;
  bool texture_determines_c_ = true;
  OnePassPlan plan_;
  LevelOnDevice level_;
  DeviceBuffer<float> matrix_, scale_, small_, errors_;
  DeviceBuffer<std::uint16_t> halves_;
  DeviceBuffer<SampleWarp> sample_warps_;
  DeviceBuffer<uint4> words_;
  DeviceBuffer<std::uint32_t> epochs_;
  int resident_fits_ = 1;  // by one launch
  std::optional<PaperFitCuda> paper_;
  std::optional<BatchFit> batch_;
  std::vector<PlanesOnDevice> list_;
  Event last_use_{Timing::off};
};

LevelFitterCuda::LevelFitterCuda(const Level& level, const FitOptions& options, int max_faces,
                                 StreamRef stream)
    : impl_(std::make_unique<Impl>(level, options, max_faces, stream)) {}
LevelFitterCuda::LevelFitterCuda(LevelFitterCuda&&) noexcept = default;
LevelFitterCuda& LevelFitterCuda::operator=(LevelFitterCuda&&) noexcept = default;
LevelFitterCuda::~LevelFitterCuda() = default;
int LevelFitterCuda::parameter_count() const { return impl_->parameter_count(); }
std::string LevelFitterCuda::describe() const { return impl_->describe(); }
DeviceSpan<const float> LevelFitterCuda::errors() const { return impl_->errors(); }

void LevelFitterCuda::parameters_of(std::span<const DevicePlanesView> planes, DeviceSpan<const float> shapes,
                                    DeviceSpan<float> parameters, StreamRef stream) {
  impl_->parameters_of(planes, shapes, parameters, stream);
}
void LevelFitterCuda::shapes_of(DeviceSpan<const float> parameters, DeviceSpan<float> shapes,
                                StreamRef stream) {
  impl_->shapes_of(parameters, shapes, stream);
}

void fit_cuda(LevelFitterCuda& level, std::span<const DevicePlanesView> planes, DeviceSpan<float> parameters,
              DeviceSpan<DeviceLevelFit> results, StreamRef stream) {
  level.impl_->fit(planes, parameters, results, stream);
}

}  // namespace triptych::aam_fit
