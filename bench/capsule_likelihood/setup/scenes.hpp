// What the halves of capsule_likelihood_bench share: the sizes, the scenes and the names.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/timing.hpp"
#include "testing/capsule_scene.hpp"

namespace triptych::bench {

struct CapsuleSize {
  std::int64_t samples, capsules, points;
  bool operator<(const CapsuleSize& o) const {
    return std::tie(samples, capsules, points) < std::tie(o.samples, o.capsules, o.points);
  }
};

inline constexpr CapsuleSize capsule_usual{2000, 40, 50000};    // the paper's usual application
inline constexpr CapsuleSize capsule_largest{3500, 48, 43000};  // the end of its figures 5 and 6

// The sizes of the paper's figures: time against points and against samples, up to the largest.
inline std::vector<CapsuleSize> capsule_figure(bool quick) {
  std::vector<CapsuleSize> sizes;
  for (const std::int64_t part :
       quick ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{32, 16, 8, 4, 2})
    sizes.push_back({3500, 48, 43000 / part});
  for (const std::int64_t part :
       quick ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{32, 16, 8, 4, 2})
    sizes.push_back({3500 / part, 48, 43000});
  sizes.push_back(capsule_largest);
  return sizes;
}

inline std::string capsule_name(const std::string& series, const std::string& mode, const CapsuleSize& size) {
  return "capsule/squared/" + series + "/" + mode + "/" + std::to_string(size.samples) + "x" +
         std::to_string(size.capsules) + "x" + std::to_string(size.points);
}

// The truncation of all committed results; the default is shorter.
inline capsule_likelihood::SensorModel bench_sensor() {
  capsule_likelihood::SensorModel sensor;
  sensor.tau_m = 0.2f;
  return sensor;
}

// Made at the first call for a size, and kept.
inline const test::CapsuleScene& capsule_scene(const CapsuleSize& size) {
  static std::map<CapsuleSize, std::unique_ptr<test::CapsuleScene>> scenes;
  auto& scene = scenes[size];
  if (!scene)
    scene = std::make_unique<test::CapsuleScene>(
        test::make_capsule_scene(size.samples, size.capsules, size.points));
  return *scene;
}

// What the CPU finds for every sample of a scene.
inline const std::vector<double>& capsule_expected(const CapsuleSize& size) {
  static std::map<CapsuleSize, std::vector<double>> known;
  std::vector<double>& expected = known[size];
  if (expected.empty()) {
    const test::CapsuleScene& scene = capsule_scene(size);
    expected.resize(static_cast<std::size_t>(size.samples));
    capsule_likelihood::evaluate_cpu(capsule_likelihood::Rays(scene.points, {}, bench_sensor()), scene.view(),
                                     expected);
  }
  return expected;
}

inline void check_same(std::span<const double> found, std::span<const double> expected) {
  if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
    throw std::runtime_error("other bits than the CPU");
}

// Microseconds by series and size, for the table at the end.
inline std::map<std::pair<std::string, CapsuleSize>, double>& capsule_times() {
  static std::map<std::pair<std::string, CapsuleSize>, double> times;
  return times;
}

// The GPU's measurements; nothing in a build without CUDA.
void define_gpu_capsules(bool quick);
// Those of the particle filter; part of the above.
void define_gpu_filter();

}  // namespace triptych::bench
