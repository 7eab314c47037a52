#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/reduction/collective/chunks.hpp>

#include <algorithm>
#include <vector>

#include "likelihood/evaluate_paths.hpp"
#include "likelihood/sub_tile_kernels.hpp"
#include "rays/cull_math.hpp"
#include "rays/ray_capsule_math.hpp"
#include "rays/rays_data.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

// The loop of the paper: samples, points, capsules. Every other form of the
// likelihood, on any device, must give these bits.
TRIPTYCH_EXACT_HD void evaluate_brute(const Rays::Data& rays, MatrixView<const Capsule> bodies,
                                      std::span<double> log_likelihoods) {
  const SensorModel& sensor = rays.sensor;
  const auto padded = static_cast<std::int64_t>(rays.x.size());
  const double step = log_of_step(sensor, rays.weighted);
  std::vector<PreparedCapsule> body(static_cast<std::size_t>(bodies.cols()));
  for (std::int64_t j = 0; j < bodies.rows(); ++j) {
    for (std::size_t k = 0; k < body.size(); ++k)
      body[k] = prepare(bodies(j, static_cast<std::int64_t>(k)), sensor.camera, sensor.inside);
    std::uint64_t gained = 0;
    for (std::int64_t i = 0; i < padded; ++i) {
      const Ray ray = rays.ray(i);
      const RayDirection v = ray_direction(ray.x, ray.y);
      float best = no_hit(sensor.surface);
      for (const PreparedCapsule& capsule : body)
        best = better(sensor.surface, best, intersect(v, capsule), ray.g, ray.h);
      const std::int32_t gain = gain_of(sensor.loss, residual_of(sensor.surface, best, ray.g, ray.h));
      gained += rays.weighted ? weighted_gain(gain, rays.weight[static_cast<std::size_t>(i)])
                              : static_cast<std::uint64_t>(gain);
    }
    log_likelihoods[static_cast<std::size_t>(j)] = log_likelihood(rays.max_gain, gained, step);
  }
}

#if defined(__x86_64__)
// The same with the processor's fused multiply-add instead of a library call: the same bits, faster.
__attribute__((target("fma"))) void evaluate_brute_fma(const Rays::Data& rays,
                                                       MatrixView<const Capsule> bodies,
                                                       std::span<double> log_likelihoods) {
  evaluate_brute(rays, bodies, log_likelihoods);
}
#endif

// One body against consecutive ray blocks.
class CulledBody {
 public:
  CulledBody(const Rays::Data& rays, const SubTileKernels& kernels) : rays_(rays), kernels_(kernels) {}

  std::uint64_t gain(std::span<const PreparedCapsule> body, std::span<const CullShape> shapes,
                     std::int64_t first_ray_block, std::int64_t last_ray_block) {
    std::uint64_t gained = 0;
    for (std::int64_t ray_block = first_ray_block / 32 * 32; ray_block < last_ray_block; ray_block += 32) {
      listed_.assign(32, {});
      for (std::size_t k = 0; k < body.size(); ++k) {
        std::uint32_t hit =
            kernels_.may_hit_32(rays_.ray_blocks, static_cast<std::size_t>(ray_block), shapes[k]);
        for (; hit != 0; hit &= hit - 1)
          listed_[static_cast<std::size_t>(__builtin_ctz(hit))].push_back(static_cast<std::uint32_t>(k));
      }
      for (std::int64_t m = std::max(ray_block, first_ray_block);
           m < std::min(ray_block + 32, last_ray_block); ++m)
        gained += gain_of_ray_block(body, shapes, m, listed_[static_cast<std::size_t>(m - ray_block)]);
    }
    return gained;
  }

 private:
  std::uint64_t gain_of_ray_block(std::span<const PreparedCapsule> body, std::span<const CullShape> shapes,
                                  std::int64_t ray_block, const std::vector<std::uint32_t>& listed) {
    const std::size_t first_sub_tile = static_cast<std::size_t>(ray_block) * sub_tiles_per_ray_block;
    sub_tiles_.clear();
    std::uint32_t any = 0;
    for (const std::uint32_t k : listed) {
      sub_tiles_.push_back(kernels_.may_hit_32(rays_.sub_tiles, first_sub_tile, shapes[k]));
      any |= sub_tiles_.back();
    }
    std::uint64_t gained = 0;
    for (; any != 0; any &= any - 1) {
      const int sub_tile = __builtin_ctz(any);
      met_.clear();
      for (std::size_t n = 0; n < listed.size(); ++n) {
        if ((sub_tiles_[n] >> sub_tile & 1) != 0) met_.push_back(listed[n]);
      }
      const std::size_t first = (first_sub_tile + static_cast<std::size_t>(sub_tile)) * rays_per_sub_tile;
      gained += kernels_.gain_of_sub_tile(rays_, first, body.data(), met_);
    }
    return gained;
  }

  const Rays::Data& rays_;
  const SubTileKernels& kernels_;
  std::vector<std::vector<std::uint32_t>> listed_;  // the capsules that may hit each of 32 ray blocks
  std::vector<std::uint32_t> sub_tiles_, met_;
};

}  // namespace

void check_method(Method method) {
  require(method == Method::culled || method == Method::brute || method == Method::tiled,
          "the method of a likelihood is unknown: ", static_cast<int>(method));
}

void check_bodies(MatrixView<const Capsule> bodies, std::size_t results) {
  require(static_cast<std::size_t>(bodies.rows()) == results, "there are ", bodies.rows(), " bodies but ",
          results, " results");
  for (std::int64_t j = 0; j < bodies.rows(); ++j) {
    for (std::int64_t k = 0; k < bodies.cols(); ++k) {
      require(is_valid(bodies(j, k)), "capsule ", k, " of sample ", j,
              " is not finite, has a negative radius or reaches beyond ", largest_m, " m");
    }
  }
}

namespace {

// store(sample, gained) takes the results.
template <class Store>
void sum_gains(CpuPath path, const Rays::Data& d, MatrixView<const Capsule> bodies, int threads,
               const Store& store) {
  const SubTileKernels kernels = sub_tile_kernels(path);
  const std::int64_t ray_blocks = d.ray_block_count(), capsules = bodies.cols();
  const std::int64_t workers = threads > 0 ? threads : default_threads();
  // So many samples are prepared at a time that their numbers stay in the caches; few samples are cut by
  // ray blocks.
  const std::int64_t block =
      std::clamp<std::int64_t>((1 << 14) / std::max<std::int64_t>(capsules, 1), 1, 512);
  std::vector<PreparedCapsule> prepared(static_cast<std::size_t>(std::min(block, bodies.rows()) * capsules));
  std::vector<CullShape> shapes(prepared.size());
  for (std::int64_t first = 0; first < bodies.rows(); first += block) {
    const std::int64_t samples = std::min(block, bodies.rows() - first);
    parallel_for(0, samples, threads, [&](std::int64_t j) {
      const std::int64_t at = j * capsules;
      kernels.prepare_body(bodies.row(first + j), d.sensor, prepared.data() + at, shapes.data() + at);
    });
    const std::int64_t runs =
        samples >= 4 * workers ? 1 : std::clamp<std::int64_t>(ray_blocks / 8, 1, 4 * workers);
    const std::int64_t run = (ray_blocks + runs - 1) / runs;
    std::vector<reduction::Slot<std::uint64_t>> gained(static_cast<std::size_t>(samples * runs));
    parallel_for(0, samples * runs, threads, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i / runs * capsules),
                 count = static_cast<std::size_t>(capsules);
      const std::int64_t from = std::min(ray_blocks, i % runs * run), to = std::min(ray_blocks, from + run);
      CulledBody body(d, kernels);
      gained[static_cast<std::size_t>(i)].value =
          body.gain({prepared.data() + at, count}, {shapes.data() + at, count}, from, to);
    });
    for (std::int64_t j = 0; j < samples; ++j) {
      const auto sum = reduction::combine_in_order<reduction::Sum<std::uint64_t>>(
          {gained.data() + j * runs, static_cast<std::size_t>(runs)}, {});
      store(static_cast<std::size_t>(first + j), sum);
    }
  }
}

}  // namespace

void evaluate_cpu_by(CpuPath path, const Rays& rays, MatrixView<const Capsule> bodies,
                     std::span<double> log_likelihoods, int threads) {
  check_bodies(bodies, log_likelihoods.size());
  const Rays::Data& d = rays.data();
  const double step = log_of_step(d.sensor, d.weighted);
  sum_gains(path, d, bodies, threads, [&](std::size_t j, std::uint64_t gained) {
    log_likelihoods[j] = log_likelihood(d.max_gain, gained, step);
  });
}

void add_losses_cpu(const Rays& rays, MatrixView<const Capsule> bodies, std::span<std::int64_t> losses,
                    int threads) {
  check_bodies(bodies, losses.size());
  const Rays::Data& d = rays.data();
  sum_gains(CpuPath::simd, d, bodies, threads, [&](std::size_t j, std::uint64_t gained) {
    losses[j] += static_cast<std::int64_t>(loss_steps(d.weighted, d.max_gain - gained));
  });
}

void evaluate_cpu(const Rays& rays, MatrixView<const Capsule> bodies, std::span<double> log_likelihoods,
                  const EvaluateOptions& options, int threads) {
  check_method(options.method);
  require(options.method != Method::tiled,
          "Method::tiled is a form of the GPU: the CPU has culled and brute");
  if (options.method == Method::culled) {
    evaluate_cpu_by(CpuPath::simd, rays, bodies, log_likelihoods, threads);
    return;
  }
  check_bodies(bodies, log_likelihoods.size());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma")) {
    evaluate_brute_fma(rays.data(), bodies, log_likelihoods);
    return;
  }
#endif
  evaluate_brute(rays.data(), bodies, log_likelihoods);
}

}  // namespace triptych::capsule_likelihood
