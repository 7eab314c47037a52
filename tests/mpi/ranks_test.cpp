// MPI processes that share a filter: each also follows the walk alone and compares the bits. Usage, under
// mpirun: ranks_test samples | cameras | options | late | dies [DEVICE]. Exit code 77: skipped.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/mpi_exchange.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "capsule_likelihood/filter/filter_ranks.hpp"

namespace triptych::capsule_likelihood {
namespace {

using namespace test_scene;

constexpr std::int64_t frames = 4, points = 700;
constexpr int cameras = 4;

Device device_of(const char* name) {
  return std::strcmp(name, "cpu") == 0 ? Device::cpu(1) : Device::parse(name);
}

FilterOptions small_options() {
  FilterOptions options;
  options.samples = 151;
  options.max_points = 4096;
  return options;
}

std::uint64_t hash_of(const RankResult& result) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const std::vector<float>& values) {
    for (const float value : values) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
    }
  };
  for (const Estimate& estimate : result.estimates) add(estimate.pose);
  add(result.samples);
  return hash;
}

RankResult follow(const Walk& walk, const FilterOptions& options, const Device& device, int begin, int end) {
  RankResult result;
  ParticleFilter filter(walk.skeleton, options, device);
  filter.start(walk.pose(0));
  for (std::int64_t i = 0; i < frames; ++i) {
    std::vector<std::vector<Vec3>> clouds;
    for (int c = begin; c < end; ++c)
      clouds.push_back(seen_by(walk, camera_around(1.5 * c), i, points, static_cast<std::uint64_t>(c)));
    const std::vector<CloudView> views(clouds.begin(), clouds.end());
    result.estimates.push_back(filter.step_cameras(views));
  }
  result.samples = filter.samples();
  return result;
}

int compare(const Exchange& exchange, const RankResult& alone, const RankResult& shared) {
  const bool same = hash_of(alone) == hash_of(shared) &&
                    alone.estimates.back().confidence == shared.estimates.back().confidence &&
                    alone.estimates.back().score == shared.estimates.back().score &&
                    alone.estimates.back().points.used == shared.estimates.back().points.used;
  std::printf("rank %d of %d: hash of all poses %016llx, %s\n", exchange.rank(), exchange.size(),
              static_cast<unsigned long long>(hash_of(shared)),
              same ? "the same as alone" : "OTHER BITS than alone");
  return same ? 0 : 1;
}

int split_samples(const std::shared_ptr<Exchange>& exchange, const Device& device) {
  const Walk walk(frames);
  FilterOptions options = small_options();
  const RankResult alone = follow(walk, options, Device::cpu(1), 0, 1);
  options.exchange = exchange;
  return compare(*exchange, alone, follow(walk, options, device, 0, 1));
}

int split_cameras(const std::shared_ptr<Exchange>& exchange, const Device& device) {
  const Walk walk(frames);
  const auto options_of = [](int begin, int end) {
    FilterOptions options = small_options();
    options.split = FilterSplit::cameras;
    for (int c = begin; c < end; ++c) options.cameras.push_back(camera_around(1.5 * c));
    return options;
  };
  // A GPU takes one camera: then there are as many as ranks.
  const int count = device.is_cuda() ? exchange->size() : cameras;
  const RankResult alone = follow(walk, options_of(0, count), Device::cpu(1), 0, count);
  const int begin = count * exchange->rank() / exchange->size(),
            end = count * (exchange->rank() + 1) / exchange->size();
  FilterOptions options = options_of(begin, end);
  options.exchange = exchange;
  return compare(*exchange, alone, follow(walk, options, device, begin, end));
}

template <class Work>
int expect_error(const Exchange& exchange, const Work& work, const char* part) {
  try {
    work();
  } catch (const Error& e) {
    const bool expected = std::string(e.what()).find(part) != std::string::npos;
    std::printf("rank %d: %s error: %s\n", exchange.rank(), expected ? "expected" : "WRONG", e.what());
    std::fflush(stdout);
    return expected ? 0 : 1;
  }
  std::printf("rank %d: NO error\n", exchange.rank());
  return 1;
}

int different_options(const std::shared_ptr<Exchange>& exchange) {
  FilterOptions options = small_options();
  options.exchange = exchange;
  options.seed = exchange->rank() == 1 ? 8 : 7;
  return expect_error(
      *exchange, [&] { ParticleFilter filter(make_human(), options, Device::cpu(1)); },
      "of rank 1 differ from those of rank 0");
}

// Rank 1 does not submit its second frame in time: it hangs, as the others see it.
int late_rank(const std::shared_ptr<Exchange>& exchange) {
  const Walk walk(2);
  FilterOptions options = small_options();
  options.exchange = exchange;
  options.split = FilterSplit::cameras;
  ParticleFilter filter(walk.skeleton, options, Device::cpu(1));
  filter.start(walk.pose(0));
  filter.step(walk.points(0, points));
  if (exchange->rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(60));
  return expect_error(
      *exchange, [&] { filter.step(walk.points(1, points)); }, "another rank has ended, failed or is late");
}

// Rank 1 ends in the middle of the job: mpirun ends the others, or they see it themselves.
int dying_rank(const std::shared_ptr<Exchange>& exchange) {
  const Walk walk(2);
  FilterOptions options = small_options();
  options.exchange = exchange;
  ParticleFilter filter(walk.skeleton, options, Device::cpu(1));
  filter.start(walk.pose(0));
  filter.step(walk.points(0, points));
  std::printf("rank %d: one frame is done\n", exchange->rank());
  std::fflush(stdout);
  agree(*exchange, "");  // all have said so
  if (exchange->rank() == 1) std::_Exit(3);
  return expect_error(
      *exchange, [&] { filter.step(walk.points(1, points)); }, "by MPI");
}

int run(const std::string& test, const char* device) {
  if (!launched_by_mpi()) {
    std::printf("skipped: this program runs under mpirun. %s\n", mpi_unavailable_reason().c_str());
    return 77;
  }
  using namespace std::chrono_literals;
  const std::shared_ptr<Exchange> exchange = make_mpi_exchange(test == "late"   ? 1500ms
                                                               : test == "dies" ? 3000ms
                                                                                : 60000ms);
  if (test == "samples") return split_samples(exchange, device_of(device));
  if (test == "cameras") return split_cameras(exchange, device_of(device));
  if (test == "options") return different_options(exchange);
  if (test == "late") return late_rank(exchange);
  if (test == "dies") return dying_rank(exchange);
  std::printf("unknown test '%s'\n", test.c_str());
  return 1;
}

}  // namespace
}  // namespace triptych::capsule_likelihood

int main(int argc, char** argv) {
  try {
    return triptych::capsule_likelihood::run(argc > 1 ? argv[1] : "samples", argc > 2 ? argv[2] : "cpu");
  } catch (const std::exception& e) {
    std::printf("failed: %s\n", e.what());
    return 1;
  }
}
