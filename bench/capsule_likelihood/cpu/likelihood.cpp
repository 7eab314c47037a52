// capsule_likelihood_bench: the paper's figures 5 and 6 on this machine (time against points and against
// samples, speed-up over the sequential loop of its listing 1.2), and the usual sizes by every form.
//
// Names are capsule/squared/<form>/<mode>/<samples>x<capsules>x<points>. rotating: sets of bodies in turn,
// calls in a graph; resident: the same input in every call. tiled: the paper's tiles with exact sums.
// listing: the paper's sequential loop; listing_gpu: its kernels; both with its float arithmetic. group_<n>:
// n GPUs that share the samples, bodies from host memory (mode host). Mode sampled: timed on some of the
// samples, 2 of listing and brute_cpu, which take minutes at these sizes, and 200 of plain; the time is
// scaled to all samples. operations are those of the tests that a form needs: of every pair of ray and
// capsule or, where it culls, of the listed ones.
#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/parallel.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>

#include "capsule_likelihood/setup/operations.hpp"
#include "capsule_likelihood/setup/scenes.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using capsule_likelihood::Method;
using capsule_likelihood::Rays;
using capsule_likelihood::SensorModel;

Timing scaled(const Timing& timing, double factor) {
  return {factor * timing.us, factor * timing.low_us, factor * timing.high_us};
}

void add_paper_loop(const CapsuleSize& size, int sampled) {
  add(capsule_name("listing", "sampled", size), [=] {
    const test::CapsuleScene& scene = capsule_scene(size);
    const auto bodies = scene.view(0, sampled);
    std::vector<float> sums(static_cast<std::size_t>(sampled));
    SensorModel sensor = bench_sensor();
    sensor.loss = capsule_likelihood::Loss::absolute;  // what the loop adds up
    std::vector<double> exact(sums.size());
    capsule_likelihood::evaluate_cpu(Rays(scene.points, {}, sensor), bodies, exact);
    const auto run = [&] {
      capsule_likelihood::evaluate_paper_loop_cpu(scene.points, bodies, {}, sensor.tau_m, sums);
    };
    run();
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const double wanted = -exact[j] * double{sensor.sigma_m};
      if (std::abs(double{sums[j]} - wanted) > 1e-3 * wanted) throw std::runtime_error("a wrong sum");
    }
    const Timing timing = scaled(time_on_host(5, [&](int) { run(); }),
                                 static_cast<double>(size.samples) / static_cast<double>(sampled));
    capsule_times()[{"listing", size}] = timing.us;
    return capsule_measurement(size, timing, false, cpu_fma_limit(1));
  });
}

void add_brute(const CapsuleSize& size, int sampled) {
  add(capsule_name("brute_cpu", "sampled", size), [=] {
    const test::CapsuleScene& scene = capsule_scene(size);
    const Rays rays(scene.points, {}, bench_sensor());
    std::vector<double> found(static_cast<std::size_t>(sampled));
    const auto run = [&] {
      capsule_likelihood::evaluate_cpu(rays, scene.view(0, sampled), found, {Method::brute});
    };
    run();
    check_same(found, std::span(capsule_expected(size)).first(found.size()));
    const Timing timing = scaled(time_on_host(5, [&](int) { run(); }),
                                 static_cast<double>(size.samples) / static_cast<double>(sampled));
    capsule_times()[{"brute_cpu", size}] = timing.us;
    return capsule_measurement(size, timing, false, cpu_fma_limit(1));
  });
}

// sampled: the number of samples that are timed; 0: all.
void add_culled(const std::string& series, const CapsuleSize& size, CpuPath path, int threads,
                std::int64_t sampled = 0) {
  add(capsule_name(series, sampled > 0 ? "sampled" : "resident", size), [=] {
    const test::CapsuleScene& scene = capsule_scene(size);
    const std::int64_t timed = sampled > 0 ? sampled : size.samples;
    const Rays rays(scene.points, {}, bench_sensor());
    std::vector<double> found(static_cast<std::size_t>(timed));
    const auto run = [&](int) { evaluate_cpu_by(path, rays, scene.view(0, timed), found, threads); };
    run(0);
    std::vector<double> brute(2);
    capsule_likelihood::evaluate_cpu(rays, scene.view(0, 2), brute, {Method::brute});
    check_same(std::span(found).first(2), brute);
    const Timing timing =
        scaled(time_on_host(11, run), static_cast<double>(size.samples) / static_cast<double>(timed));
    capsule_times()[{series, size}] = timing.us;
    return capsule_measurement(size, timing, true, cpu_fma_limit(threads == 1 ? 1 : default_threads()));
  });
}

void define(bool quick) {
  if (cuda_device_count() > 0) define_gpu_capsules(quick);
  add("limit/fma/cpu_1", [] { return to_measurement(cpu_fma_limit(1)); });
  add("limit/fma/cpu_all", [] { return to_measurement(cpu_fma_limit(default_threads())); });
  for (const CapsuleSize& size : {capsule_usual, capsule_largest}) {
    add_paper_loop(size, 2);
    add_brute(size, 2);
    add_culled("simd", size, CpuPath::simd, 1);
    add_culled("threads", size, CpuPath::simd, 0);
  }
  add_culled("plain", capsule_usual, CpuPath::plain, 1, 200);
  for (const CapsuleSize& size : capsule_figure(quick)) {
    if (!(size < capsule_largest) && !(capsule_largest < size)) continue;
    add_paper_loop(size, 2);
    add_culled("threads", size, CpuPath::simd, 0);
  }
}

// What was measured, with the speed-up over the paper's loop.
void print_table() {
  if (capsule_times().empty()) return;
  std::printf(
      "\nform         samples capsules points           ms   speed-up over the paper's loop (2 samples, "
      "scaled)\n");
  for (const auto& [key, us] : capsule_times()) {
    const auto& [series, size] = key;
    const auto paper_loop = capsule_times().find({"listing", size});
    std::printf("%-12s %7lld %8lld %6lld %12.4f", series.c_str(), static_cast<long long>(size.samples),
                static_cast<long long>(size.capsules), static_cast<long long>(size.points), 1e-3 * us);
    if (paper_loop != capsule_times().end() && series != "rays")
      std::printf("   %.0f", paper_loop->second / us);
    std::printf("\n");
  }
}

}  // namespace

const Program program{
    "Times the likelihood of capsule bodies by every form, on the sizes of the paper's figures 5 and 6 and "
    "on its\n"
    "usual size. Every result is checked before it is timed: all forms but the paper's give the same bits.",
    define, print_table};

}  // namespace triptych::bench
