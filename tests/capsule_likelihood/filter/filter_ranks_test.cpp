// A filter that several ranks (here threads) share has the bits of one rank.
#include <triptych/core/error.hpp>

#include "capsule_likelihood/filter/filter_ranks.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

using namespace test_scene;
using namespace std::chrono_literals;

constexpr std::int64_t frames = 4, points = 700;

FilterOptions small_options() {
  FilterOptions options;
  options.samples = 150;
  options.max_points = 2000;
  return options;
}

std::vector<float> sigmas(std::size_t count) {
  std::vector<float> sigma_m(count);
  for (std::size_t i = 0; i < count; ++i) sigma_m[i] = 0.02f + 0.0001f * static_cast<float>(i % 100);
  return sigma_m;
}

RankResult follow(const Walk& walk, const FilterOptions& options, const Device& device, bool with_sigma,
                  bool is_root) {
  RankResult result;
  ParticleFilter filter(walk.skeleton, options, device);
  filter.start(walk.pose(0));
  for (std::int64_t i = 0; i < frames; ++i) {
    // Only the cloud of rank 0 counts.
    const std::vector<Vec3> cloud = is_root ? walk.points(i, points) : std::vector<Vec3>(3);
    const std::vector<float> sigma_m = with_sigma && is_root ? sigmas(cloud.size()) : std::vector<float>();
    result.estimates.push_back(filter.step(CloudView(cloud, sigma_m)));
  }
  result.samples = filter.samples();
  return result;
}

TEST(FilterRanks, SamplesAreSplitWithTheBitsOfOneRank) {
  const Walk walk(frames);
  for (const bool with_sigma : {false, true}) {
    const RankResult alone = follow(walk, small_options(), Device::cpu(1), with_sigma, true);
    for (const int size : {1, 2, 3, 4}) {
      const auto exchanges = make_thread_exchanges(size);
      const auto results = run_ranks(size, [&](int rank, RankResult& result) {
        FilterOptions options = small_options();
        options.exchange = exchanges[static_cast<std::size_t>(rank)];
        result = follow(walk, options, Device::cpu(1), with_sigma, rank == 0);
      });
      for (const RankResult& result : results) expect_same_result(alone, result);
    }
  }
}

TEST(FilterRanks, MoreRanksThanSamples) {
  const Walk walk(frames);
  FilterOptions options = small_options();
  options.samples = 2;
  const RankResult alone = follow(walk, options, Device::cpu(1), false, true);
  const auto exchanges = make_thread_exchanges(3);
  const auto results = run_ranks(3, [&](int rank, RankResult& result) {
    FilterOptions own = options;
    own.exchange = exchanges[static_cast<std::size_t>(rank)];
    result = follow(walk, own, Device::cpu(1), false, rank == 0);
  });
  for (const RankResult& result : results) expect_same_result(alone, result);
}

TEST(FilterRanks, APoseIsFoundWithTheBitsOfOneRank) {
  const Walk walk(1);
  const std::vector<Vec3> cloud = walk.points(0, points);
  FilterOptions options = small_options();
  options.samples = 40;
  ParticleFilter alone(walk.skeleton, options, Device::cpu(1));
  const Estimate expected = alone.find(cloud);
  const auto exchanges = make_thread_exchanges(2);
  const auto results = run_ranks(2, [&](int rank, RankResult& result) {
    FilterOptions own = options;
    own.exchange = exchanges[static_cast<std::size_t>(rank)];
    ParticleFilter filter(walk.skeleton, own, Device::cpu(1));
    result.estimates.push_back(filter.find(rank == 0 ? CloudView(cloud) : CloudView()));
  });
  for (const RankResult& result : results) {
    ASSERT_EQ(result.failure, "");
    expect_same(expected, result.estimates.front());
  }
}

// Clouds of four cameras; camera 2 sees nothing in frame 1, camera 1 has sigmas.
struct Room {
  Walk walk{frames};
  std::vector<RigidTransform> cameras;
  std::vector<std::vector<std::vector<Vec3>>> clouds;  // by camera and frame
  std::vector<float> sigma_m = sigmas(points);

  Room() {
    for (int c = 0; c < 4; ++c) {
      cameras.push_back(camera_around(c * std::numbers::pi / 2));
      clouds.emplace_back();
      for (std::int64_t i = 0; i < frames; ++i)
        clouds.back().push_back(c == 2 && i == 1 ? std::vector<Vec3>()
                                                 : seen_by(walk, cameras.back(), i, points,
                                                           10 * static_cast<std::uint64_t>(c) + 1));
    }
  }
  CloudView cloud(std::size_t camera, std::int64_t frame) const {
    const std::vector<Vec3>& c = clouds[camera][static_cast<std::size_t>(frame)];
    return {c, camera == 1 ? std::span<const float>(sigma_m) : std::span<const float>()};
  }

  // Follows the walk with cameras begin .. end - 1.
  RankResult follow(std::size_t begin, std::size_t end, std::shared_ptr<Exchange> exchange) const {
    FilterOptions options = small_options();
    options.cameras.assign(cameras.begin() + static_cast<std::ptrdiff_t>(begin),
                           cameras.begin() + static_cast<std::ptrdiff_t>(end));
    options.exchange = std::move(exchange);
    options.split = FilterSplit::cameras;
    RankResult result;
    ParticleFilter filter(walk.skeleton, options, Device::cpu(1));
    filter.start(walk.pose(0));
    for (std::int64_t i = 0; i < frames; ++i) {
      std::vector<CloudView> views;
      for (std::size_t c = begin; c < end; ++c) views.push_back(cloud(c, i));
      result.estimates.push_back(filter.step_cameras(views));
    }
    result.samples = filter.samples();
    return result;
  }
};

TEST(FilterRanks, CamerasAreSplitWithTheBitsOfOneRank) {
  const Room room;
  const RankResult alone = room.follow(0, 4, nullptr);
  EXPECT_EQ(alone.estimates[0].points.used + alone.estimates[0].points.not_in_front, 4 * points);
  for (const int size : {1, 2, 3, 4}) {
    const auto exchanges = make_thread_exchanges(size);
    const auto results = run_ranks(size, [&](int rank, RankResult& result) {
      const auto begin = static_cast<std::size_t>(4 * rank / size),
                 end = static_cast<std::size_t>(4 * (rank + 1) / size);
      result = room.follow(begin, end, exchanges[static_cast<std::size_t>(rank)]);
    });
    for (const RankResult& result : results) expect_same_result(alone, result);
  }
}

TEST(FilterRanks, APoseIsFoundByAllCamerasWithTheBitsOfOneRank) {
  const Room room;
  const auto find = [&](std::size_t begin, std::size_t end, std::shared_ptr<Exchange> exchange) {
    FilterOptions options = small_options();
    options.samples = 80;
    options.cameras.assign(room.cameras.begin() + static_cast<std::ptrdiff_t>(begin),
                           room.cameras.begin() + static_cast<std::ptrdiff_t>(end));
    options.exchange = std::move(exchange);
    options.split = FilterSplit::cameras;
    RankResult result;
    ParticleFilter filter(room.walk.skeleton, options, Device::cpu(1));
    std::vector<CloudView> views;
    for (std::size_t c = begin; c < end; ++c) views.push_back(room.cloud(c, 0));
    result.estimates.push_back(filter.find_cameras(views));
    result.samples = filter.samples();
    return result;
  };
  const RankResult alone = find(0, 2, nullptr);
  EXPECT_LT(mean_error_m(alone.estimates.front().joints, room.walk.joints(0)), 0.1);
  const auto exchanges = make_thread_exchanges(2);
  for (const RankResult& result : run_ranks(2, [&](int rank, RankResult&r) {
         const std::size_t i = static_cast<std::size_t>(rank);
         r = find(i, i + 1, exchanges[i]);
       }))
    expect_same_result(alone, result);
}

TEST(FilterRanks, ThePointsOfOneCameraAreSplitWithTheBitsOfOneRank) {
  const Walk walk(frames);
  FilterOptions without_fit = small_options();
  without_fit.fit_steps = 0;  // as with several cameras, whatever their options say
  const RankResult alone = follow(walk, without_fit, Device::cpu(1), false, true);
  const auto exchanges = make_thread_exchanges(2);
  const auto results = run_ranks(2, [&](int rank, RankResult& result) {
    FilterOptions options = small_options();
    options.exchange = exchanges[static_cast<std::size_t>(rank)];
    options.split = FilterSplit::cameras;
    ParticleFilter filter(walk.skeleton, options, Device::cpu(1));
    filter.start(walk.pose(0));
    for (std::int64_t i = 0; i < frames; ++i) {
      const std::vector<Vec3> cloud = walk.points(i, points);
      const std::span<const Vec3> all(cloud);
      result.estimates.push_back(filter.step(rank == 0 ? all.first(200) : all.subspan(200)));
    }
    result.samples = filter.samples();
  });
  for (const RankResult& result : results) {
    ASSERT_EQ(result.failure, "");
    EXPECT_TRUE(same_bits(alone.samples, result.samples));
    for (std::size_t i = 0; i < frames; ++i) {
      EXPECT_EQ(alone.estimates[i].log_likelihood, result.estimates[i].log_likelihood);
      EXPECT_EQ(alone.estimates[i].score, result.estimates[i].score);
      EXPECT_TRUE(same_bits(alone.estimates[i].pose, result.estimates[i].pose));
    }
  }
}

// One camera that is not at the origin: the pose is the same body in the world's frame.
TEST(FilterRanks, ACameraAwayFromTheOriginGivesPosesOfTheWorld) {
  const Room room;
  for (const std::size_t camera : {std::size_t{1}, std::size_t{3}}) {
    const RankResult result = room.follow(camera, camera + 1, nullptr);
    EXPECT_LT(mean_error_m(result.estimates.back().joints, room.walk.joints(frames - 1)), 0.05);
  }
  EXPECT_LT(mean_error_m(room.follow(0, 4, nullptr).estimates.back().joints, room.walk.joints(frames - 1)),
            0.03);
}

// A perturbed input is seen: the comparison is not of constants.
TEST(FilterRanks, AnotherCloudOnARankChangesTheResult) {
  Room room;
  const RankResult before = room.follow(0, 4, nullptr);
  room.clouds[3][0][5].z += 0.01f;
  const RankResult after = room.follow(0, 4, nullptr);
  EXPECT_FALSE(same_bits(before.samples, after.samples));
}

}  // namespace
}  // namespace triptych::capsule_likelihood
