// Shared filters on a GPU: the bits of one rank on the CPU, with the sums through the host and by NCCL.
#include <triptych/core/buffer.hpp>
#include <triptych/core/nccl_exchange.hpp>

#include "capsule_likelihood/filter/filter_ranks.hpp"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych::capsule_likelihood {
namespace {

using namespace test_scene;
using namespace std::chrono_literals;

constexpr std::int64_t frames = 5;

FilterOptions small_options(FilterSplit split = FilterSplit::samples) {
  FilterOptions options;
  options.samples = 301;
  options.max_points = 12000;
  options.split = split;
  return options;
}

// Sizes that need several graphs, one cloud without points, some with sigmas.
struct Clouds {
  Walk walk{frames};
  std::vector<RigidTransform> cameras;
  std::vector<float> sigma_m = std::vector<float>(12000, 0.02f);

  explicit Clouds(int count) {
    for (int c = 0; c < count; ++c) cameras.push_back(camera_around(1.5 * c));
  }
  std::vector<Vec3> points(int camera, std::int64_t frame) const {
    if (camera == 1 && frame == 2) return {};
    return seen_by(walk, cameras[static_cast<std::size_t>(camera)], frame, frame % 2 == 0 ? 900 : 5000,
                   static_cast<std::uint64_t>(camera));
  }
  CloudView view(const std::vector<Vec3>& cloud, std::int64_t frame) const {
    return {cloud, frame == 3 ? std::span(sigma_m).first(cloud.size()) : std::span<const float>()};
  }

  // Follows the walk with cameras begin .. end - 1.
  RankResult follow(FilterOptions options, const Device& device, int begin, int end) const {
    options.cameras.assign(cameras.begin() + begin, cameras.begin() + end);
    RankResult result;
    ParticleFilter filter(walk.skeleton, options, device);
    filter.start(walk.pose(0));
    for (std::int64_t i = 0; i < frames; ++i) {
      std::vector<std::vector<Vec3>> clouds;
      std::vector<CloudView> views;
      for (int c = begin; c < end; ++c) clouds.push_back(points(c, i));
      views.reserve(clouds.size());
      for (const auto& cloud : clouds) views.push_back(view(cloud, i));
      result.estimates.push_back(filter.step_cameras(views));
    }
    result.samples = filter.samples();
    return result;
  }
  // The same with up to max_in_flight frames in flight, from device memory, with one camera.
  RankResult follow_in_flight(FilterOptions options, int camera) const {
    options.cameras = {cameras[static_cast<std::size_t>(camera)]};
    RankResult result;
    ParticleFilter filter(walk.skeleton, options, Device::cuda());
    filter.start(walk.pose(0));
    const Stream stream;
    std::vector<DeviceBuffer<Vec3>> buffers;
    std::vector<DeviceBuffer<float>> sigmas;
    for (std::int64_t i = 0; i < frames; ++i) {
      const std::vector<Vec3> cloud = points(camera, i);
      const CloudView host = view(cloud, i);
      buffers.emplace_back(static_cast<std::int64_t>(cloud.size()));
      sigmas.emplace_back(static_cast<std::int64_t>(host.sigma_m.size()));
      copy_to_device(host.points, buffers.back().span(), stream);
      copy_to_device(host.sigma_m, sigmas.back().span(), stream);
      stream.synchronize();
      if (filter.in_flight() == max_in_flight) result.estimates.push_back(filter.next());
      filter.submit(DeviceCloudView(buffers.back().span(), sigmas.back().span()));
    }
    while (filter.in_flight() > 0) result.estimates.push_back(filter.next());
    result.samples = filter.samples();
    return result;
  }
};

TEST(FilterRanksCuda, OneRankWithSumsThroughTheHostHasTheBitsOfTheCpu) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Clouds clouds(3);
  for (int camera = 0; camera < 3; ++camera) {
    const RankResult expected = clouds.follow(small_options(), Device::cpu(), camera, camera + 1);
    FilterOptions options = small_options();
    expect_same_result(expected, clouds.follow(options, Device::cuda(), camera, camera + 1));
    options.exchange = make_single_exchange();
    expect_same_result(expected, clouds.follow(options, Device::cuda(), camera, camera + 1));
    expect_same_result(expected, clouds.follow_in_flight(options, camera));
  }
}

TEST(FilterRanksCuda, ThreadsOnOneGpuSplitTheSamples) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Clouds clouds(1);
  const RankResult expected = clouds.follow(small_options(), Device::cpu(), 0, 1);
  for (const int size : {2, 3}) {
    const auto exchanges = make_thread_exchanges(size);
    // The last rank is the CPU: devices may differ.
    for (const RankResult& result : run_ranks(size, [&](int rank, RankResult&r) {
           FilterOptions options = small_options();
           options.exchange = exchanges[static_cast<std::size_t>(rank)];
           r = clouds.follow(options, rank == 2 ? Device::cpu(2) : Device::cuda(), 0, 1);
         }))
      expect_same_result(expected, result);
  }
}

TEST(FilterRanksCuda, ThreadsOnOneGpuHaveACameraEach) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Clouds clouds(3);
  const RankResult expected = clouds.follow(small_options(FilterSplit::cameras), Device::cpu(), 0, 3);
  for (const bool in_flight : {false, true}) {
    const auto exchanges = make_thread_exchanges(3);
    for (const RankResult& result : run_ranks(3, [&](int rank, RankResult&r) {
           FilterOptions options = small_options(FilterSplit::cameras);
           options.exchange = exchanges[static_cast<std::size_t>(rank)];
           r = in_flight ? clouds.follow_in_flight(options, rank)
                         : clouds.follow(options, Device::cuda(), rank, rank + 1);
         }))
      expect_same_result(expected, result);
  }
}

TEST(FilterRanksCuda, NcclSumsInsideTheGraph) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  if (const std::string reason = nccl_unavailable_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const Clouds clouds(2);
  const auto exchange = make_nccl_exchange(make_single_exchange(), Device::cuda());
  EXPECT_TRUE(exchange->sums_on_device());
  for (const FilterSplit split : {FilterSplit::samples, FilterSplit::cameras}) {
    for (int camera = 0; camera < 2; ++camera) {
      FilterOptions options = small_options(split);
      const RankResult expected = clouds.follow(options, Device::cpu(), camera, camera + 1);
      options.exchange = exchange;
      expect_same_result(expected, clouds.follow(options, Device::cuda(), camera, camera + 1));
      expect_same_result(expected, clouds.follow_in_flight(options, camera));
    }
  }
}

// NCCL refuses two ranks on one GPU: an error on both, no hang.
TEST(FilterRanksCuda, NcclWithTwoRanksOnOneGpuIsAnErrorOnBoth) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  if (const std::string reason = nccl_unavailable_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const auto exchanges = make_thread_exchanges(2);
  for (const RankResult& result : run_ranks(2, [&](int rank, RankResult&) {
         make_nccl_exchange(exchanges[static_cast<std::size_t>(rank)], Device::cuda(), 20s);
       }))
    EXPECT_NE(result.failure, "");
}

TEST(FilterRanksCuda, ALateRankIsAnErrorAndTheFilterMustBeStartedAgain) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Clouds clouds(1);
  const std::vector<Vec3> cloud = clouds.points(0, 0);
  const auto exchanges = make_thread_exchanges(2, 500ms);
  const auto results = run_ranks(2, [&](int rank, RankResult&) {
    FilterOptions options = small_options(FilterSplit::cameras);
    options.exchange = exchanges[static_cast<std::size_t>(rank)];
    ParticleFilter filter(clouds.walk.skeleton, options, Device::cuda());
    filter.start(clouds.walk.pose(0));
    if (rank == 1) return;
    filter.step(cloud);
  });
  EXPECT_NE(results[0].failure.find("another rank has ended, failed or is late"), std::string::npos)
      << results[0].failure;
}

TEST(FilterRanksCuda, AFilterOnAGpuTakesOneCamera) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  const Walk walk(1);
  FilterOptions options;
  options.cameras = {camera_around(0), camera_around(1)};
  EXPECT_ERROR(ParticleFilter(walk.skeleton, options, Device::cuda()), InvalidArgument, "one camera");
  options.cameras.clear();
  options.exchange = make_single_exchange();
  EXPECT_ERROR(ParticleFilter(walk.skeleton, options, Device::cuda(std::vector<int>{0, 0})), InvalidArgument,
               "one filter for each GPU");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
