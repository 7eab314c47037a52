// Ranks that fail, differ or are late: an error on all ranks, no hang, and a filter as before.
#include <triptych/core/error.hpp>

#include "capsule_likelihood/filter/filter_ranks.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

using namespace test_scene;
using namespace std::chrono_literals;

struct Ranks {
  Walk walk{3};
  std::vector<std::shared_ptr<Exchange>> exchanges;
  FilterSplit split;

  explicit Ranks(int size, std::chrono::milliseconds timeout = 20s, FilterSplit by = FilterSplit::cameras)
      : exchanges(make_thread_exchanges(size, timeout)), split(by) {}

  FilterOptions options(int rank) const {
    FilterOptions options;
    options.samples = 60;
    options.max_points = 1000;
    options.exchange = exchanges[static_cast<std::size_t>(rank)];
    options.split = split;
    return options;
  }
  std::vector<RankResult> run(const std::function<void(int, RankResult&)>& work) const {
    return run_ranks(static_cast<int>(exchanges.size()), work);
  }
};

void expect_failures(const std::vector<RankResult>& results, const std::string& part) {
  for (const RankResult& result : results)
    EXPECT_NE(result.failure.find(part), std::string::npos) << "'" << result.failure << "' lacks " << part;
}

TEST(FilterRanksFailure, DifferentOptionsAreAnErrorOnAllRanks) {
  const auto differs = [](const std::function<void(FilterOptions&)>& change) {
    const Ranks ranks(3);
    expect_failures(ranks.run([&](int rank, RankResult&) {
      FilterOptions options = ranks.options(rank);
      if (rank == 1) change(options);
      ParticleFilter filter(ranks.walk.skeleton, options, Device::cpu(1));
    }),
                    "of rank 1 differ from those of rank 0");
  };
  differs([](FilterOptions& o) { o.seed = 2; });
  differs([](FilterOptions& o) { o.samples = 61; });
  differs([](FilterOptions& o) { o.layers = 3; });
  differs([](FilterOptions& o) { o.sensor.tau_m = 0.2f; });
  differs([](FilterOptions& o) { o.min_spread = 0.3f; });
  differs([](FilterOptions& o) { o.partitioned = false; });
  differs([](FilterOptions& o) { o.recover_limbs = false; });
  differs([](FilterOptions& o) { o.recover_heading = false; });
  differs([](FilterOptions& o) { o.split = FilterSplit::samples; });
}

TEST(FilterRanksFailure, AnotherSkeletonIsAnErrorOnAllRanks) {
  const Ranks ranks(2);
  expect_failures(ranks.run([&](int rank, RankResult&) {
    ParticleFilter filter(rank == 0 ? ranks.walk.skeleton : make_human(1.6f), ranks.options(rank),
                          Device::cpu(1));
  }),
                  "of rank 1 differ from those of rank 0");
}

TEST(FilterRanksFailure, ARankThatCannotBeMadeIsAnErrorOnAllRanks) {
  const Ranks ranks(2);
  expect_failures(ranks.run([&](int rank, RankResult&) {
    FilterOptions options = ranks.options(rank);
    if (rank == 1) options.layers = 0;
    ParticleFilter filter(ranks.walk.skeleton, options, Device::cpu(1));
  }),
                  "a filter needs 1 to 64 layers, not 0");
}

TEST(FilterRanksFailure, OtherStartPosesAreAnErrorOnAllRanks) {
  const Ranks ranks(2);
  expect_failures(ranks.run([&](int rank, RankResult&) {
    ParticleFilter filter(ranks.walk.skeleton, ranks.options(rank), Device::cpu(1));
    filter.start(ranks.walk.pose(rank));
  }),
                  "the poses to start at of rank 1 differ");
}

// A bad cloud on one rank: all ranks throw, all go on as if the frame had not been submitted.
TEST(FilterRanksFailure, ABadCloudOnOneRankLeavesAllFiltersAsBefore) {
  for (const FilterSplit split : {FilterSplit::cameras, FilterSplit::samples}) {
    const Ranks ranks(2, 20s, split);
    const int bad_rank = split == FilterSplit::cameras ? 1 : 0;
    const auto follow = [&](bool with_failure) {
      return ranks.run([&](int rank, RankResult& result) {
        ParticleFilter filter(ranks.walk.skeleton, ranks.options(rank), Device::cpu(1));
        filter.start(ranks.walk.pose(0));
        for (std::int64_t i = 0; i < 3; ++i) {
          if (with_failure && i == 1) {
            const std::vector<Vec3> large(rank == bad_rank ? 1001 : 10);
            EXPECT_THROW(filter.step(large), Error);
            const std::vector<Vec3> few(10);
            const std::vector<float> sigma_m(rank == bad_rank ? 9 : 10, 0.1f);
            EXPECT_THROW(filter.step(CloudView(few, sigma_m)), Error);
          }
          result.estimates.push_back(filter.step(ranks.walk.points(i, 300, 7)));
        }
        result.samples = filter.samples();
      });
    };
    const auto expected = follow(false), results = follow(true);
    for (std::size_t i = 0; i < 2; ++i) expect_same_result(expected[i], results[i]);
  }
}

TEST(FilterRanksFailure, AnEmptyCloudOnOneRankIsNoFailure) {
  const Ranks ranks(2);
  for (const RankResult& result : ranks.run([&](int rank, RankResult&r) {
         ParticleFilter filter(ranks.walk.skeleton, ranks.options(rank), Device::cpu(1));
         filter.start(ranks.walk.pose(0));
         r.estimates.push_back(filter.step(rank == 0 ? ranks.walk.points(0, 400) : std::vector<Vec3>()));
       })) {
    ASSERT_EQ(result.failure, "");
    EXPECT_GT(result.estimates.front().points.used, 350);
    EXPECT_GT(result.estimates.front().score, 0.3);
  }
}

TEST(FilterRanksFailure, ARankThatEndsOrIsLateIsAnErrorOnTheOthers) {
  const Ranks ranks(3, 300ms);
  const auto results = ranks.run([&](int rank, RankResult& result) {
    ParticleFilter filter(ranks.walk.skeleton, ranks.options(rank), Device::cpu(1));
    filter.start(ranks.walk.pose(0));
    result.estimates.push_back(filter.step(ranks.walk.points(0, 200)));
    if (rank == 2) return;  // ended
    filter.step(ranks.walk.points(1, 200));
  });
  EXPECT_EQ(results[2].failure, "");
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    EXPECT_NE(results[i].failure.find("another rank has ended, failed or is late"), std::string::npos)
        << results[i].failure;
}

TEST(FilterRanksFailure, ARankThatWasResetIsAnErrorOnAll) {
  const Ranks ranks(2);
  expect_failures(ranks.run([&](int rank, RankResult&) {
    ParticleFilter filter(ranks.walk.skeleton, ranks.options(rank), Device::cpu(1));
    filter.start(ranks.walk.pose(0));
    filter.step(ranks.walk.points(0, 100));
    if (rank == 1) filter.reset();
    filter.step(ranks.walk.points(1, 100));
  }),
                  "a filter needs a pose to start from");
}

TEST(FilterRanksFailure, ArgumentsOfCamerasAreChecked) {
  const Walk walk(1);
  FilterOptions options;
  options.samples = 10;
  options.cameras = {camera_around(0), camera_around(1)};
  ParticleFilter filter(walk.skeleton, options, Device::cpu(1));
  filter.start(walk.pose(0));
  const std::vector<Vec3> cloud = walk.points(0, 50);
  EXPECT_ERROR(filter.step(cloud), InvalidArgument, "there are 1 clouds but 2 cameras");
  EXPECT_ERROR(filter.step_cameras({}), InvalidArgument, "there are 0 clouds but 2 cameras");
  EXPECT_ERROR(filter.find(cloud), InvalidArgument, "there are 1 clouds but 2 cameras");
  const std::vector<CloudView> empty(2);
  EXPECT_ERROR(filter.find_cameras(empty), InvalidArgument, "no pose can be found");
  const std::vector<CloudView> both(2, CloudView(cloud));
  filter.step_cameras(both);  // the filter is as before

  options.cameras[1].rotation[0] = 2;
  EXPECT_ERROR(ParticleFilter(walk.skeleton, options, Device::cpu(1)), InvalidArgument, "right angles");
  options.cameras = {camera_around(0)};
  options.cameras[0].translation_m.x = NAN;
  EXPECT_ERROR(ParticleFilter(walk.skeleton, options, Device::cpu(1)), InvalidArgument, "translation");
  options.cameras.assign(2000, {});
  options.max_points = max_rays / 1000;
  EXPECT_ERROR(ParticleFilter(walk.skeleton, options, Device::cpu(1)), InvalidArgument, "max_points");
  options.cameras.clear();
  options.split = static_cast<FilterSplit>(7);
  options.exchange = make_single_exchange();
  EXPECT_ERROR(ParticleFilter(walk.skeleton, options, Device::cpu(1)), InvalidArgument, "split");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
