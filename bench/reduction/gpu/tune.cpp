// triptych_tune: measures the choices that depend on the GPU, and fills the tuning cache that the library
// reads (triptych/reduction/autotune.hpp).
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/reduction/autotune.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "testing/capsule_scene.hpp"

namespace triptych::bench {
namespace {

using reduction::TuningCache;

struct Tuning {
  TuningCache cache{TuningCache::default_file()};
  Stream stream;
  Workspace workspace;
};

template <class A, class T>
void tune_sums(Tuning& tuning, const DeviceBuffer<std::byte>& memory, const char* what) {
  for (std::int64_t bytes = 3 << 10; bytes <= memory.size(); bytes *= 2) {  // the middle of each size class
    const DeviceSpan<const T> values(reinterpret_cast<const T*>(memory.data()),
                                     bytes / static_cast<std::int64_t>(sizeof(T)));
    const auto best = reduction::tune_sum_cuda<A, T>(tuning.cache, values, tuning.workspace, tuning.stream);
    std::printf("sum of %s, %lld bytes: %s\n", what, static_cast<long long>(bytes),
                std::string(to_string(best)).c_str());
  }
}

void tune_sums(Tuning& tuning) {
  const auto free_bytes = static_cast<std::int64_t>(Device::cuda().properties().memory_bytes / 4);
  DeviceBuffer<std::byte> memory(std::min<std::int64_t>(std::int64_t{3} << 28, free_bytes));
  fill_bytes(memory.span(), 0, tuning.stream);
  tune_sums<float, float>(tuning, memory, "float");
  tune_sums<double, float>(tuning, memory, "float in double");
  tune_sums<double, double>(tuning, memory, "double");
  tune_sums<std::int32_t, std::int32_t>(tuning, memory, "int32");
  tune_sums<std::int64_t, std::int32_t>(tuning, memory, "int32 in int64");
  tune_sums<std::int64_t, std::int64_t>(tuning, memory, "int64");
  tune_sums<std::uint32_t, std::uint32_t>(tuning, memory, "uint32");
  tune_sums<std::uint64_t, std::uint32_t>(tuning, memory, "uint32 in uint64");
  tune_sums<std::uint64_t, std::uint64_t>(tuning, memory, "uint64");
}

void tune_product(Tuning& tuning, std::int64_t rows, std::int64_t cols) {
  DeviceBuffer<float> a(rows * cols), x(cols), y(rows);
  fill_bytes(a.span(), 0, tuning.stream);
  fill_bytes(x.span(), 0, tuning.stream);
  const auto plan = tune_multiply_cuda(tuning.cache, {a.data(), rows, cols}, x.span(), y.span(),
                                       tuning.workspace, tuning.stream);
  std::printf("product %lld x %lld: %s\n", static_cast<long long>(rows), static_cast<long long>(cols),
              to_string(plan).c_str());
}

void tune_products(Tuning& tuning) {  // the wide products of appearance models
  for (const std::int64_t rows : {24, 44, 64, 84})
    for (std::int64_t cols = 4096; cols <= 65536; cols += 4096) tune_product(tuning, rows, cols);
}

void tune_capsules(Tuning& tuning) {
  using namespace capsule_likelihood;
  constexpr std::int64_t capsules = 40;
  for (const std::int64_t points : {5000, 50000}) {
    for (const std::int64_t samples : {500, 2000, 10000}) {
      const test::CapsuleScene scene = test::make_capsule_scene(samples, capsules, points);
      DeviceBuffer<Vec3> cloud(points);
      DeviceBuffer<Capsule> bodies(samples * capsules);
      copy_to_device(std::span<const Vec3>(scene.points), cloud.span(), tuning.stream);
      copy_to_device(std::span<const Capsule>(scene.bodies), bodies.span(), tuning.stream);
      DeviceRays rays(points, {});
      rays.set(cloud.span(), {}, tuning.workspace, tuning.stream);
      for (const Method method : {Method::culled, Method::brute}) {  // tiled stays as the paper has it
        const EvaluateOptions best = tune_evaluate_cuda(
            tuning.cache, rays, {bodies.data(), samples, capsules}, method, tuning.workspace, tuning.stream);
        std::printf(
            "%lld bodies of %lld capsules, %lld points, %s: %d points per block, %d samples per launch\n",
            static_cast<long long>(samples), static_cast<long long>(capsules), static_cast<long long>(points),
            method == Method::culled ? "culled" : "brute", best.points_per_block, best.samples_per_launch);
      }
      tuning.stream.synchronize();
    }
  }
}

// "ROWSxCOLS"
bool parse_shape(const char* text, long long& rows, long long& cols) {
  char* end = nullptr;
  rows = std::strtoll(text, &end, 10);
  if (*end != 'x') return false;
  cols = std::strtoll(end + 1, &end, 10);
  return *end == '\0' && rows > 0 && cols > 0;
}

int run(int argc, char** argv) {
  constexpr const char* multiply = "--multiply=";
  for (int k = 1; k < argc; ++k) {
    long long rows, cols;
    if (std::strncmp(argv[k], multiply, std::strlen(multiply)) == 0 &&
        parse_shape(argv[k] + std::strlen(multiply), rows, cols))
      continue;
    std::printf(
        "triptych_tune [--multiply=ROWSxCOLS ...]\n\n"
        "Measures sums, wide matrix-vector products (also of the given shapes) and the likelihood of "
        "capsules on the\n"
        "current GPU and stores the fastest choices in the tuning cache, which the library reads:\n"
        "%s\nEntries of the file are not measured again; delete the file to start anew.\n",
        TuningCache::default_file().string().c_str());
    return std::strcmp(argv[k], "--help") == 0 ? 0 : 1;
  }
  require(!TuningCache::default_file().empty(),
          "there is no home folder for the tuning cache: set TRIPTYCH_TUNING_CACHE");
  std::printf("%s\n", Device::cuda().describe().c_str());
  Tuning tuning;
  for (int k = 1; k < argc; ++k) {
    long long rows, cols;
    if (parse_shape(argv[k] + std::strlen(multiply), rows, cols)) tune_product(tuning, rows, cols);
  }
  tune_sums(tuning);
  tune_products(tuning);
  tune_capsules(tuning);
  std::printf("%zu choices in %s\n", tuning.cache.size(), TuningCache::default_file().string().c_str());
  return 0;
}

}  // namespace
}  // namespace triptych::bench

int main(int argc, char** argv) {
  try {
    return triptych::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
