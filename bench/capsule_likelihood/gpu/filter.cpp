// The search of a frame on the GPU (points already there and sorted), its likelihoods alone (what the rest of
// the filter costs), the fit of the estimate, and whole steps.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "capsule_likelihood/setup/operations.hpp"
#include "capsule_likelihood/setup/scenes.hpp"
#include "filter/filter_engine_cuda.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using capsule_likelihood::CudaEngine;
using capsule_likelihood::FilterOptions;
using capsule_likelihood::Skeleton;
using capsule_likelihood::Vec3;

struct EngineOnAWalk {
  std::unique_ptr<CudaEngine> engine;
  double listed_pairs;  // of all samples, counted on eight of the last layer
};

// A human of 40 capsules that stands before the camera; 36 % of the points lie on it, the others on the wall
// and the floor.
EngineOnAWalk engine_on_a_walk(const CapsuleSize& size, int layers) {
  const Skeleton human = capsule_likelihood::make_human();
  capsule_likelihood::Motion walk = capsule_likelihood::make_walk(human, {.frames = 1});
  capsule_likelihood::place_in_view(human, walk);
  capsule_likelihood::RenderOptions rendering;
  rendering.points = size.points;
  rendering.background = 0.64f;
  const std::vector<Vec3> points = capsule_likelihood::render_points(human.capsules(walk.pose(0)), rendering);
  FilterOptions options;
  options.samples = static_cast<int>(size.samples);
  options.layers = layers;
  auto engine = std::make_unique<CudaEngine>(human, bench_sensor(),
                                             capsule_likelihood::make_plan(human, options), size.points, 0);
  const auto twin = capsule_likelihood::make_cpu_engine(human, bench_sensor(),
                                                        capsule_likelihood::make_plan(human, options), 0);
  for (capsule_likelihood::FilterEngine* each :
       {twin.get(), static_cast<capsule_likelihood::FilterEngine*>(engine.get())}) {
    each->start(walk.pose(0), 1);
    each->step(points);
  }
  if (engine->samples() != twin->samples()) throw std::runtime_error("other samples than the CPU");
  for (int i = 0; i < 5; ++i) engine->step(points);  // the spreads settle
  const std::vector<float> samples = engine->samples();
  const std::size_t row = samples.size() / static_cast<std::size_t>(size.samples);
  const capsule_likelihood::Rays rays(points, {}, bench_sensor());
  double listed = 0;
  for (std::size_t j = 0; j < 8; ++j) {
    const std::size_t sample = j * static_cast<std::size_t>(size.samples) / 8;
    listed += listed_pairs_of(rays, human.capsules(std::span(samples).subspan(sample * row, row)));
  }
  return {std::move(engine), listed / 8 * static_cast<double>(size.samples)};
}

// filter: from the prediction to the report, without the fit; filter_fit: with it, and what prepares its
// points; filter_rest: as filter, without the likelihoods; filter_likelihood: the likelihoods of all layers,
// with the samples of the last one.
void add_filter(const CapsuleSize& size, int layers) {
  std::string suffix = "_";
  suffix += std::to_string(layers);
  const auto timed = [=](const std::string& series, bool likelihoods, auto enqueue) {
    add(capsule_name(series + suffix, "resident", size), [=] {
      const auto walking = engine_on_a_walk(size, layers);
      CudaEngine& engine = *walking.engine;
      const Timing timing = time_in_graph(engine.stream(), 1, 21, [&](int) { enqueue(engine); });
      capsule_times()[{series + suffix, size}] = timing.us;
      Measurement measured{timing, static_cast<double>(size.points) * sizeof(Vec3)};
      if (likelihoods) {
        measured.operations = layers * operations_per_pair * walking.listed_pairs;
        measured.operation_limit = gpu_fma_limit().operations_per_us();
      }
      return measured;
    });
  };
  timed("filter", true, [](CudaEngine& e) { e.enqueue_search(CudaEngine::Likelihood::with); });
  timed("filter_fit", true, [](CudaEngine& e) {
    e.enqueue_search(CudaEngine::Likelihood::with);
    e.enqueue_fit();
  });
  timed("filter_rest", false, [](CudaEngine& e) { e.enqueue_search(CudaEngine::Likelihood::without); });
  timed("filter_likelihood", true, [](CudaEngine& e) { e.enqueue_likelihoods(); });
}

// A person who walks, a cloud for each frame: a tenth of the points are outliers.
struct WalkingPerson {
  explicit WalkingPerson(std::int64_t points) {
    capsule_likelihood::place_in_view(human, walk);
    capsule_likelihood::RenderOptions rendering;
    rendering.points = points;
    rendering.outliers = 0.1f;
    for (std::int64_t frame = 0; frame < walk.size(); ++frame) {
      rendering.seed = static_cast<std::uint64_t>(frame) + 1;
      clouds.push_back(capsule_likelihood::render_points(human.capsules(walk.pose(frame)), rendering));
    }
  }
  Skeleton human = capsule_likelihood::make_human();
  capsule_likelihood::Motion walk = capsule_likelihood::make_walk(human, {.frames = 60});
  std::vector<std::vector<Vec3>> clouds;
};

// A whole step() of a ParticleFilter, from points in host memory to the estimate, by the clock of the host.
void add_steps(const std::string& series, const CapsuleSize& size, FilterOptions options) {
  options.samples = static_cast<int>(size.samples);
  add(capsule_name(series, "host", size), [=] {
    const WalkingPerson person(size.points);
    capsule_likelihood::ParticleFilter filter(person.human, options, Device::cuda()),
        twin(person.human, options, Device::cpu());
    for (capsule_likelihood::ParticleFilter* each : {&filter, &twin}) each->start(person.walk.pose(0));
    for (std::size_t frame = 0; frame < 3; ++frame)
      if (filter.step(person.clouds[frame]).pose != twin.step(person.clouds[frame]).pose)
        throw std::runtime_error("another estimate than the CPU");
    std::vector<double> us;
    for (std::size_t frame = 3; frame < person.clouds.size(); ++frame) {
      const Stopwatch watch;
      filter.step(person.clouds[frame]);
      us.push_back(watch.elapsed_us());
    }
    return Measurement{summarize(std::move(us)), static_cast<double>(size.points) * sizeof(Vec3)};
  });
}

}  // namespace

void define_gpu_filter() {
  for (const CapsuleSize size : {CapsuleSize{2000, 40, 8000}, {4000, 40, 20000}, {2000, 40, 50000}}) {
    add_steps("step", size, {});
    add_steps("step_without_limbs", size, {.recover_limbs = false});
    add_steps("step_without_fit", size, {.fit_steps = 0, .recover_limbs = false});
  }
  for (const int layers : {1, 5}) {
    add_filter(capsule_usual, layers);
    add_filter({4000, 40, 20000}, layers);
  }
}

}  // namespace triptych::bench
