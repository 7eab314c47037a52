// aam_fit_bench on a GPU: the paper form and the one-pass form, in floats and halves, one face and a batch.
#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/buffer.hpp>

#include <algorithm>

#include "aam_fit/setup/fits.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using aam_fit::DeviceLevelFit;
using aam_fit::DevicePlanesView;
using aam_fit::Form;
using aam_fit::LevelFitterCuda;
using aam_fit::Shape;
using aam_fit::Storage;

// Sets of faces on the GPU, used in rotation: each frame in another light, each with its own start.
class GpuFits {
 public:
  GpuFits(const AamSize& size, const aam_fit::FitOptions& options, int sets)
      : size_(size),
        sets_(sets),
        fitter_(aam_scene(size).level, options, static_cast<int>(size.faces), stream_),
        frames_(sets * size.faces * frame_size()),
        starts_(sets * size.faces * fitter_.parameter_count()),
        parameters_(starts_.size()),
        shapes_(sets * size.faces * 2 * aam_scene(size).level.points),
        results_(sets * size.faces) {
    const test::AamScene& scene = aam_scene(size);
    std::vector<float> frame(scene.planes.values.size()), starts;
    starts.reserve(static_cast<std::size_t>(starts_.size()));
    for (std::int64_t i = 0; i < sets * size.faces; ++i) {
      const auto k = static_cast<int>(i);
      aam_relight(scene.planes.values, k, frame);
      copy_to_device(std::span<const float>(frame), frames_.span().subspan(i * frame_size(), frame_size()),
                     stream_);
      stream_.synchronize();
      const std::vector<float> start = aam_start_of(scene, k);
      starts.insert(starts.end(), start.begin(), start.end());
    }
    copy_to_device(std::span<const float>(starts), starts_.span(), stream_);
    stream_.synchronize();
    planes_.reserve(static_cast<std::size_t>(sets * size.faces));
    for (std::int64_t i = 0; i < sets * size.faces; ++i)
      planes_.push_back(
          {DeviceImageView<const float>(frames_.data() + i * frame_size(), scene.planes.width,
                                        std::int64_t{scene.planes.height} * scene.planes.channels),
           scene.planes.channels});
  }

  // All parameters as they were at first: every replay does the same work.
  void reset() { copy_on_device(DeviceSpan<const float>(starts_.span()), parameters_.span(), stream_); }
  void fit(int set) {
    const std::int64_t first = set % sets_ * size_.faces, row = fitter_.parameter_count();
    fit_cuda(fitter_,
             std::span<const DevicePlanesView>(planes_).subspan(static_cast<std::size_t>(first),
                                                                static_cast<std::size_t>(size_.faces)),
             parameters_.span().subspan(first * row, size_.faces * row),
             results_.span().subspan(first, size_.faces), stream_);
  }
  // The n-th of calls that follow each other.
  void enqueue(int n) {
    if (n % sets_ == 0) reset();
    fit(n);
  }

  // The landmarks of the face i of all sets, where the last fits left it.
  Shape shape(std::int64_t i) {
    const std::int64_t row = fitter_.parameter_count(), values = 2 * aam_scene(size_).level.points;
    for (std::int64_t set = 0; set < sets_; ++set) {  // as many rows at once as the fitter has faces
      const std::int64_t first = set * size_.faces;
      fitter_.shapes_of(DeviceSpan<const float>(parameters_.span().subspan(first * row, size_.faces * row)),
                        shapes_.span().subspan(first * values, size_.faces * values), stream_);
    }
    std::vector<float> host(static_cast<std::size_t>(values));
    copy_to_host(DeviceSpan<const float>(shapes_.span().subspan(i * values, values)), std::span<float>(host),
                 stream_);
    stream_.synchronize();
    Shape shape(host.size() / 2);
    for (std::size_t p = 0; p < shape.size(); ++p) shape[p] = {double{host[2 * p]}, double{host[2 * p + 1]}};
    return shape;
  }
  std::vector<float> parameters() {
    std::vector<float> host(static_cast<std::size_t>(parameters_.size()));
    copy_to_host(DeviceSpan<const float>(parameters_.span()), std::span<float>(host), stream_);
    stream_.synchronize();
    return host;
  }
  // Ten iterations by every face: none was lost on the way.
  void check_iterations() {
    std::vector<DeviceLevelFit> host(static_cast<std::size_t>(results_.size()));
    copy_to_host(DeviceSpan<const DeviceLevelFit>(results_.span()), std::span<DeviceLevelFit>(host), stream_);
    stream_.synchronize();
    for (const DeviceLevelFit& one : host) {
      if (one.iterations != aam_iterations)
        throw std::runtime_error("other than ten iterations: " +
                                 to_string(static_cast<aam_fit::FitStatus>(one.status)));
    }
  }
  StreamRef stream() { return stream_; }
  int sets() const { return sets_; }

 private:
  std::int64_t frame_size() const { return static_cast<std::int64_t>(aam_scene(size_).planes.values.size()); }

  AamSize size_;
  int sets_;
  Stream stream_;
  LevelFitterCuda fitter_;
  DeviceBuffer<float> frames_, starts_, parameters_, shapes_;
  DeviceBuffer<DeviceLevelFit> results_;
  std::vector<DevicePlanesView> planes_;
};

// The faces whose landmarks are compared with the twin's.
std::vector<std::int64_t> checked_faces(const AamSize& size, int sets) {
  return {0, std::min<std::int64_t>(1, sets * size.faces - 1), size.faces - 1};
}

// Fits every set once, and returns how far landmarks are off the twin's at most.
double run_and_check(GpuFits& fits, const AamSize& size, Storage storage) {
  for (int k = 0; k < fits.sets(); ++k) fits.enqueue(k);
  fits.check_iterations();
  double most = 0;
  for (const std::int64_t i : checked_faces(size, fits.sets())) {
    const Shape& expected = aam_expected(size, static_cast<int>(i));
    const Shape found = fits.shape(i);
    aam_check(found, expected, storage == Storage::float16 ? aam_half_px : aam_float_px);
    most = std::max(most, aam_distance_px(found, expected));
  }
  return most;
}

// How far halves put a landmark from where floats put it.
double half_difference_px(GpuFits& halves, const AamSize& size) {
  GpuFits floats(size, aam_options(Form::one_pass), halves.sets());
  for (int k = 0; k < halves.sets(); ++k) floats.enqueue(k);
  double most = 0;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(8, halves.sets() * size.faces); ++i)
    most = std::max(most, aam_distance_px(halves.shape(i), floats.shape(i)));
  return most;
}

void check_repeats(GpuFits& fits, const std::vector<float>& before) {
  fits.check_iterations();
  if (fits.parameters() != before) throw std::runtime_error("a replay has other bits");
}

void add_fit(const std::string& series, const AamSize& size, Form form, Storage storage) {
  const bool half = storage == Storage::float16;
  add(aam_name(series, size.trained ? "trained" : "rotating", size, half ? "half" : "float"), [=] {
    GpuFits fits(size, aam_options(form, storage), size.faces == 1 ? 32 : 2);
    const double off = run_and_check(fits, size, storage);
    Measurement measured;
    measured.counters["twin_px"] = off;
    if (half) measured.counters["difference_px"] = half_difference_px(fits, size);
    const std::vector<float> before = fits.parameters();
    measured.timing = time_in_graph(fits.stream(), fits.sets(), form == Form::paper ? 11 : 21,
                                    [&](int k) { fits.enqueue(k); });
    check_repeats(fits, before);
    aam_times()[{size, half ? series + ", half" : series}] = measured.timing.us;
    if (size.faces == 1) {  // a batch shares its readings of the matrix
      measured.bytes = aam_iterations * size.matrix_bytes(half ? 2 : 4);
      measured.limit = gpu_cache_read_limit().bytes_per_us();
    } else {
      measured.operations = aam_iterations * size.matrix_operations();
      measured.operation_limit = gpu_fma_limit().operations_per_us();
    }
    return measured;
  });
}

// `frames` frames, one after the other, in graphs of at most a hundred.
void add_frames(const std::string& series, const AamSize& size, Form form, int frames) {
  std::string mode = "frames_";
  mode += std::to_string(frames);
  add(aam_name(series, mode, size), [=] {
    GpuFits fits(size, aam_options(form), 20);
    run_and_check(fits, size, Storage::float32);
    const int calls = std::min(frames, 100), launches = frames / calls;
    const Graph graph = Graph::capture(fits.stream(), [&] {
      for (int k = 0; k < calls; ++k) fits.enqueue(k);
    });
    Event begin, end;
    std::vector<double> us;
    const Stopwatch all;
    for (int r = -1; r < 7 && (r < 3 || all.elapsed_s() < 0.5); ++r) {
      begin.record(fits.stream());
      for (int l = 0; l < launches; ++l) graph.launch(fits.stream());
      end.record(fits.stream());
      end.synchronize();
      if (r >= 0) us.push_back(1e3 * Event::elapsed_ms(begin, end));
    }
    fits.check_iterations();
    return Measurement{summarize(std::move(us)), frames * aam_iterations * size.matrix_bytes(4),
                       gpu_cache_read_limit().bytes_per_us()};
  });
}

}  // namespace

void define_gpu_fits(bool quick) {
  add("limit/read/gpu_cache", [] { return to_measurement(gpu_cache_read_limit()); });
  add("limit/fma/gpu", [] { return to_measurement(gpu_fma_limit()); });
  add("limit/launch/gpu", [] { return Measurement{gpu_launch_limit(), 0, 0}; });
  for (const int modes : {aam_modes, 20}) {
    const std::vector<std::int64_t> sizes =
        modes == aam_modes ? aam_table_pixels(quick)
                           : std::vector<std::int64_t>(aam_usual_pixels.begin(), aam_usual_pixels.end());
    for (const std::int64_t pixels : sizes) {
      const AamSize size{1, modes, pixels};
      add_fit("gpu_literal", size, Form::paper, Storage::float32);
      add_fit("gpu_one_pass", size, Form::one_pass, Storage::float32);
      add_fit("gpu_one_pass", size, Form::one_pass, Storage::float16);
    }
  }
  for (const std::int64_t pixels : aam_trained_pixels(quick)) {
    const AamSize size{1, aam_modes, pixels, true};
    add_fit("gpu_literal", size, Form::paper, Storage::float32);
    add_fit("gpu_one_pass", size, Form::one_pass, Storage::float32);
    add_fit("gpu_one_pass", size, Form::one_pass, Storage::float16);
  }
  for (const int faces : quick ? std::vector<int>{} : std::vector<int>{2, 8, 32, 128})
    add_fit("gpu_one_pass", {faces, aam_modes, aam_batch.pixels}, Form::one_pass, Storage::float32);
  add_fit("gpu_one_pass", aam_batch, Form::one_pass, Storage::float32);
  add_fit("gpu_one_pass", aam_batch, Form::one_pass, Storage::float16);
  for (const std::int64_t pixels : aam_figure_pixels(quick)) {
    for (const int frames : quick ? std::vector<int>{10} : std::vector<int>{10, 100, 1000}) {
      const AamSize size{1, aam_modes, pixels};
      add_frames("gpu_literal", size, Form::paper, frames);
      add_frames("gpu_one_pass", size, Form::one_pass, frames);
    }
  }
}

}  // namespace triptych::bench
