// aam_fit_bench: the paper's Table 1 and figures 6 to 8 on this machine: ten fixed iterations per frame at 16
// sizes, by the sequential paper form, by our CPU twin, by ten kernels a pass as the paper has them, and by
// our GPU form.
//
// Names are aam/<storage>/<form>/<mode>/<faces>x<modes>x<pixels>; a time is that of the whole fit, of all
// faces. rotating: frames and starts go round, calls in a graph; resident: the same on the host, one by one;
// trained: either of these with a model that was trained on synthetic faces, where the others are made up;
// frames_<n>: n frames in one measurement (figure 6); part_error, part_step: parts of ten iterations (figure
// 2).
#include <triptych/core/device.hpp>
#include <triptych/core/parallel.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>

#include "aam_fit/setup/fits.hpp"
#include "fit/cpu/one_pass.hpp"
#include "fit/cpu/paper_fit.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using aam_fit::Form;
using aam_fit::LevelFit;
using aam_fit::LevelFitter;

constexpr int host_frames = 4;

// A form on the CPU, with frames and starts in rotation.
class CpuFits {
 public:
  CpuFits(const AamSize& size, Form form, int threads)
      : size_(size),
        options_(aam_options(form)),
        fitter_(aam_scene(size).level, aam_fit::Storage::float32, threads) {
    const test::AamScene& scene = aam_scene(size);
    for (int k = 0; k < host_frames; ++k) {
      frames_[static_cast<std::size_t>(k)] = scene.planes;
      aam_relight(scene.planes.values, k, frames_[static_cast<std::size_t>(k)].values);
      starts_[static_cast<std::size_t>(k)] = aam_start_of(scene, k);
    }
  }
  LevelFit fit(int k) {
    const auto at = static_cast<std::size_t>(k % host_frames);
    return fit_cpu(fitter_, frames_[at].view(), starts_[at], options_);
  }
  void check() {
    for (int k = 0; k < 2; ++k) {
      const LevelFit found = fit(k);
      if (found.iterations != aam_iterations) throw std::runtime_error("other than ten iterations");
      aam_check(fitter_.shape_of(found.parameters), aam_expected(size_, k), aam_float_px);
    }
  }

 private:
  AamSize size_;
  aam_fit::FitOptions options_;
  LevelFitter fitter_;
  std::array<aam_fit::Planes, host_frames> frames_;
  std::array<std::vector<float>, host_frames> starts_;
};

// What one core, or all of them, can read again and again of as many bytes as a size's matrix has.
const Limit& matrix_read_limit(const AamSize& size, int threads) {
  static const std::vector<std::byte> memory(
      static_cast<std::size_t>(AamSize{1, aam_modes, 65536}.matrix_bytes(4)), std::byte{1});
  return cpu_read_limit(std::span(memory).first(static_cast<std::size_t>(size.matrix_bytes(4))), threads);
}

void add_fit(const std::string& series, const AamSize& size, Form form, int threads) {
  add(aam_name(series, size.trained ? "trained" : "resident", size), [=] {
    CpuFits fits(size, form, threads);
    fits.check();
    const Timing timing = time_on_host(11, [&](int k) { benchmark::DoNotOptimize(fits.fit(k)); });
    aam_times()[{size, series}] = timing.us;
    return Measurement{timing, aam_iterations * size.matrix_bytes(4),
                       matrix_read_limit(size, threads).bytes_per_us()};
  });
}

void add_frames(const std::string& series, const AamSize& size, Form form, int threads, int frames) {
  std::string mode = "frames_";
  mode += std::to_string(frames);
  add(aam_name(series, mode, size), [=] {
    CpuFits fits(size, form, threads);
    fits.check();
    const Timing timing = time_on_host(3, [&](int) {
      for (int k = 0; k < frames; ++k) benchmark::DoNotOptimize(fits.fit(k));
    });
    return Measurement{timing, frames * aam_iterations * size.matrix_bytes(4),
                       matrix_read_limit(size, threads).bytes_per_us()};
  });
}

// The paper's figure 2: ten times the error, and ten times the step, of the sequential form.
void add_parts(const AamSize& size) {
  const auto add_part = [&](const char* mode, auto call) {
    add(aam_name("cpu_literal", mode, size), [=] {
      const test::AamScene& scene = aam_scene(size);
      aam_fit::PaperFit<float> fit(scene.level);
      const aam_fit::PassPlanes planes = aam_fit::pass_planes(scene.planes.view(), 1);
      const std::vector<float> start = aam_start_of(scene, 0);
      std::vector<double> step(start.size());
      if (!fit.evaluate(planes, start.data()).contrast) throw std::runtime_error("no contrast");
      const Timing timing = time_on_host(11, [&](int) {
        for (int i = 0; i < aam_iterations; ++i) call(fit, planes, start, step);
        benchmark::DoNotOptimize(step.data());
      });
      return Measurement{timing, 0};
    });
  };
  add_part("part_error", [](auto& fit, const auto& planes, const auto& start, auto&) {
    benchmark::DoNotOptimize(fit.evaluate(planes, start.data()));
  });
  add_part("part_step", [](auto& fit, const auto&, const auto&, auto& step) { fit.step(step.data()); });
}

void define(bool quick) {
  if (cuda_device_count() > 0) define_gpu_fits(quick);
  const int all = default_threads();
  for (const auto& [name, count] : {std::pair{"limit/read/cpu_1", 1}, {"limit/read/cpu_all", all}}) {
    const int threads = count;
    add(name, [threads] { return to_measurement(matrix_read_limit({1, aam_modes, 65536}, threads)); });
  }
  for (const int modes : {aam_modes, 20}) {
    const std::vector<std::int64_t> sizes =
        modes == aam_modes ? aam_table_pixels(quick)
                           : std::vector<std::int64_t>(aam_usual_pixels.begin(), aam_usual_pixels.end());
    for (const std::int64_t pixels : sizes) {
      const AamSize size{1, modes, pixels};
      add_fit("cpu_literal", size, Form::paper, 1);
      add_fit("cpu_one_pass", size, Form::one_pass, 1);
      add_fit("cpu_threads", size, Form::one_pass, all);
    }
  }
  for (const std::int64_t pixels : aam_trained_pixels(quick)) {
    const AamSize size{1, aam_modes, pixels, true};
    add_fit("cpu_literal", size, Form::paper, 1);
    add_fit("cpu_one_pass", size, Form::one_pass, 1);
    add_fit("cpu_threads", size, Form::one_pass, all);
  }
  add_parts({1, aam_modes, 65536});
  for (const std::int64_t pixels : aam_figure_pixels(quick))
    add_frames("cpu_literal", {1, aam_modes, pixels}, Form::paper, 1, quick ? 3 : 10);
}

// What was measured, an iteration of one face, with the speed-up over the sequential form.
void print_table() {
  if (aam_times().empty()) return;
  std::printf(
      "\nfaces modes pixels form                             us a fit   us an iteration   over "
      "cpu_literal\n");
  for (const auto& [key, us] : aam_times()) {
    const auto& [size, form] = key;
    const double one = us / static_cast<double>(size.faces);
    const auto base = aam_times().find({AamSize{1, size.modes, size.pixels, size.trained}, "cpu_literal"});
    std::printf("%5lld %5d %6lld %-29s %11.2f %17.2f", static_cast<long long>(size.faces), size.modes,
                static_cast<long long>(size.pixels), (form + (size.trained ? ", trained" : "")).c_str(), one,
                one / aam_iterations);
    if (base != aam_times().end()) std::printf("   %.1f", base->second / one);
    std::printf("\n");
  }
}

}  // namespace

const Program program{
    "Times fits of ten iterations and batches of fits by every form, at the 16 sizes of the paper's Table 1 "
    "and\n"
    "figures 6 to 8. Every result is checked against the paper form on the CPU before it is timed.",
    define, print_table};

}  // namespace triptych::bench
