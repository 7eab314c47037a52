#include "capsule_likelihood/setup/capsule_likelihood_gpu_bench.hpp"

#include "support/limits.hpp"
#include "support/runner.hpp"

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/buffer.hpp>

namespace triptych::bench {
namespace {

using capsule_likelihood::Capsule;
using capsule_likelihood::DeviceRays;
using capsule_likelihood::EvaluateOptions;
using capsule_likelihood::Method;
using capsule_likelihood::Vec3;

// Points and several sets of bodies on the GPU: the sets go round, so that a call does not find its bodies in
// the cache.
class GpuScene {
 public:
  explicit GpuScene(const CapsuleSize& size)
      : size_(size),
        points_(size.points),
        bodies_(size.samples * size.capsules * sets),
        result_(size.samples),
        rays_(size.points, {}) {
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
    const std::int64_t at = set % sets * size_.samples * size_.capsules;
    capsule_likelihood::evaluate_cuda(rays_, {bodies_.data() + at, size_.samples, size_.capsules},
                                      result_.span(), options, workspace_, stream_);
  }
  std::vector<double> results() {
    std::vector<double> found(static_cast<std::size_t>(size_.samples));
    copy_to_host(result_.span(), std::span<double>(found), stream_);
    stream_.synchronize();
    return found;
  }
  StreamRef stream() { return stream_; }

  static constexpr int sets = 4;

 private:
  CapsuleSize size_;
  Stream stream_;
  Workspace workspace_;
  DeviceBuffer<Vec3> points_;
  DeviceBuffer<Capsule> bodies_;
  DeviceBuffer<double> result_;
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
    return Measurement{timing, 0, 0};
  });
}

void add_rays(const CapsuleSize& size) {
  add(capsule_name("rays", "resident", size), [=] {
    GpuScene scene(size);
    scene.evaluate(0, {});
    check_same(scene.results(), capsule_expected(size));
    const Timing timing = time_in_graph(scene.stream(), 4, 11, [&](int) { scene.set_rays(); });
    capsule_times()[{"rays", size}] = timing.us;
    return Measurement{timing, 0, 0};
  });
}

}  // namespace

void define_gpu_capsules(bool quick) {
  define_gpu_filter();
  for (const CapsuleSize& size : {capsule_usual, capsule_largest}) {
    add_evaluate("culled", size, {Method::culled});
    add_evaluate("brute", size, {Method::brute});
    add_evaluate("tiled", size, {Method::tiled});
    add_rays(size);
  }
  add_evaluate("culled_64", capsule_usual, {Method::culled, 0, 64});
  for (const CapsuleSize& size : capsule_figure(quick)) {
    if (!(size < capsule_largest) && !(capsule_largest < size)) continue;
    add_evaluate("culled", size, {Method::culled});
    add_evaluate("brute", size, {Method::brute});
    add_evaluate("tiled", size, {Method::tiled});
  }
}

}  // namespace triptych::bench
