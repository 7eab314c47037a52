#include <triptych/capsule_likelihood/cuda_group.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>

#include <cmath>
#include <numeric>

#include "capsule_likelihood/setup/operations.hpp"
#include "capsule_likelihood/setup/scenes.hpp"
#include "support/limits.hpp"
#include "support/runner.hpp"

namespace triptych::bench {
namespace {

using capsule_likelihood::Capsule;
using capsule_likelihood::DeviceRays;
using capsule_likelihood::EvaluateOptions;
using capsule_likelihood::Method;
using capsule_likelihood::Vec3;

// Points and several sets of bodies on the GPU. The sets are used in turn, so that the bodies of a call are
// not in the cache.
class GpuScene {
 public:
  explicit GpuScene(const CapsuleSize& size)
      : size_(size),
        points_(size.points),
        bodies_(size.samples * size.capsules * sets),
        result_(size.samples),
        distances_(size.samples),
        rays_(size.points, bench_sensor()) {
    const test::CapsuleScene& scene = capsule_scene(size);
    copy_to_device(std::span<const Vec3>(scene.points), points_.span(), stream_);
    const std::int64_t of_set = size.samples * size.capsules;
    for (std::int64_t set = 0; set < sets; ++set) {
      std::vector<Capsule> moved = scene.bodies;
      for (Capsule& c : moved) {
        c.a.x += 0.01f * static_cast<float>(set);
        c.b.x += 0.01f * static_cast<float>(set);
      }
      copy_to_device(std::span<const Capsule>(moved), bodies_.span().subspan(set * of_set, of_set), stream_);
      stream_.synchronize();
    }
    set_rays();
    stream_.synchronize();
  }

  void set_rays() { rays_.set(points_.span(), {}, workspace_, stream_); }
  void evaluate(int set, const EvaluateOptions& options) {
    capsule_likelihood::evaluate_cuda(rays_, bodies(set), result_.span(), options, workspace_, stream_);
  }
  void evaluate_paper_tiles(int set) {
    capsule_likelihood::evaluate_paper_tiles_cuda(points_.span(), bodies(set), {}, bench_sensor().tau_m,
                                                  distances_.span(), workspace_, stream_);
  }
  std::vector<double> results() { return to_host(result_); }
  std::vector<float> distances() { return to_host(distances_); }
  StreamRef stream() { return stream_; }

  static constexpr int sets = 4;

 private:
  DeviceMatrixView<const Capsule> bodies(int set) const {
    return {bodies_.data() + set % sets * size_.samples * size_.capsules, size_.samples, size_.capsules};
  }
  template <class T>
  std::vector<T> to_host(const DeviceBuffer<T>& buffer) {
    std::vector<T> found(static_cast<std::size_t>(size_.samples));
    copy_to_host(buffer.span(), std::span<T>(found), stream_);
    stream_.synchronize();
    return found;
  }

  CapsuleSize size_;
  Stream stream_;
  Workspace workspace_;
  DeviceBuffer<Vec3> points_;
  DeviceBuffer<Capsule> bodies_;
  DeviceBuffer<double> result_;
  DeviceBuffer<float> distances_;
  DeviceRays rays_;
};

void add_evaluate(const std::string& series, const CapsuleSize& size, const EvaluateOptions& options) {
  add(capsule_name(series, "rotating", size), [=] {
    GpuScene scene(size);
    scene.evaluate(0, options);
    check_same(scene.results(), capsule_expected(size));
    const Timing timing =
        time_in_graph(scene.stream(), GpuScene::sets, 11, [&](int k) { scene.evaluate(k, options); });
    capsule_times()[{series, size}] = timing.us;
    return capsule_measurement(size, timing, options.method == Method::culled, gpu_fma_limit());
  });
}

// The paper's kernels in its float arithmetic, checked against its loop on a few samples: both add up one
// float per point, each in its own order.
void add_paper_tiles(const CapsuleSize& size) {
  add(capsule_name("listing_gpu", "rotating", size), [=] {
    GpuScene scene(size);
    scene.evaluate_paper_tiles(0);
    const std::vector<float> found = scene.distances();
    std::vector<float> expected(2);
    capsule_likelihood::evaluate_paper_loop_cpu(capsule_scene(size).points, capsule_scene(size).view(0, 2),
                                                {}, bench_sensor().tau_m, expected);
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const double wanted = double{expected[j]}, bound = 0x1p-23 * static_cast<double>(size.points) * wanted;
      if (!(std::abs(double{found[j]} - wanted) <= bound)) throw std::runtime_error("a wrong sum");
    }
    const Timing timing =
        time_in_graph(scene.stream(), GpuScene::sets, 11, [&](int k) { scene.evaluate_paper_tiles(k); });
    capsule_times()[{"listing_gpu", size}] = timing.us;
    return capsule_measurement(size, timing, false, gpu_fma_limit());
  });
}

void add_rays(const CapsuleSize& size) {
  add(capsule_name("rays", "resident", size), [=] {
    GpuScene scene(size);
    scene.evaluate(0, {});
    check_same(scene.results(), capsule_expected(size));
    const Timing timing = time_in_graph(scene.stream(), 4, 11, [&](int) { scene.set_rays(); });
    capsule_times()[{"rays", size}] = timing.us;
    const double bytes = static_cast<double>(size.points) * sizeof(Vec3);
    return Measurement{timing, bytes, gpu_limit_of(bytes, true).bytes_per_us()};
  });
}

// The first `gpus` GPUs, bodies and results in host memory.
void add_group(const CapsuleSize& size, int gpus) {
  std::string series = "group_";
  series += std::to_string(gpus);
  add(capsule_name(series, "host", size), [=] {
    const test::CapsuleScene& scene = capsule_scene(size);
    std::vector<int> ordinals(static_cast<std::size_t>(gpus));
    std::iota(ordinals.begin(), ordinals.end(), 0);
    capsule_likelihood::CudaGroup group(ordinals, size.points, bench_sensor());
    group.set(scene.points);
    std::vector<double> found(static_cast<std::size_t>(size.samples));
    group.evaluate(scene.view(), found);
    check_same(found, capsule_expected(size));
    const Timing timing = time_on_host(21, [&](int) { group.evaluate(scene.view(), found); });
    capsule_times()[{series, size}] = timing.us;
    Limit limit = gpu_fma_limit();
    limit.operations *= gpus;
    return capsule_measurement(size, timing, true, limit);
  });
}

}  // namespace

void define_gpu_capsules(bool quick) {
  add("limit/fma/gpu", [] { return to_measurement(gpu_fma_limit()); });
  add("limit/read/gpu_cache", [] { return to_measurement(gpu_cache_read_limit()); });
  define_gpu_filter();
  for (const CapsuleSize& size : {capsule_usual, capsule_largest}) {
    add_evaluate("culled", size, {Method::culled});
    add_evaluate("brute", size, {Method::brute});
    add_evaluate("tiled", size, {Method::tiled});
    add_paper_tiles(size);
    add_rays(size);
    for (const int gpus : {1, 2, 4}) {
      if (gpus <= cuda_device_count()) add_group(size, gpus);
    }
  }
  add_evaluate("culled_64", capsule_usual, {Method::culled, 0, 64});
  for (const CapsuleSize& size : capsule_figure(quick)) {
    if (!(size < capsule_largest) && !(capsule_largest < size)) continue;
    add_evaluate("culled", size, {Method::culled});
    add_evaluate("brute", size, {Method::brute});
    add_evaluate("tiled", size, {Method::tiled});
    add_paper_tiles(size);
  }
}

}  // namespace triptych::bench
