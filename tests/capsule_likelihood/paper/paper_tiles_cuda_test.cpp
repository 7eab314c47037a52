// evaluate_paper_tiles_cuda: the distances of the sequential loop, bit for bit, summed in the order of the
// blocks.
#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/core/graph.hpp>

#include <array>
#include <cmath>
#include <numeric>

#include "testing/capsule_scene.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::CapsuleScene;
using test::make_capsule_scene;

constexpr float max_distance = 0.2f;
constexpr Vec3 camera{0.01f, -0.02f, 0.05f};
constexpr std::size_t tile = 128;

// What each point counts for body j, by the sequential loop: a sum of one term is that term.
std::vector<float> terms_of(const std::vector<Vec3>& points, MatrixView<const Capsule> bodies,
                            std::int64_t j) {
  std::vector<float> terms;
  for (const Vec3& point : points) {
    float term = 0;
    evaluate_paper_loop_cpu({&point, 1}, {bodies.row(j).data(), 1, bodies.cols()}, camera, max_distance,
                            {&term, 1});
    terms.push_back(term);
  }
  return terms;
}

// 128 threads: lane i with i + 16, i + 8, ..., then the warps one after the other.
float block_sum(std::array<float, tile> v) {
  float total = 0;
  for (std::size_t warp = 0; warp < tile; warp += 32) {
    for (std::size_t offset = 16; offset > 0; offset /= 2)
      for (std::size_t lane = 0; lane < offset; ++lane) v[warp + lane] += v[warp + lane + offset];
    total += v[warp];
  }
  return total;
}

float sum_of_blocks(const std::vector<float>& terms) {
  std::array<float, tile> threads{};
  for (std::size_t first = 0; first < terms.size(); first += tile) {
    std::array<float, tile> block{};
    std::copy(terms.begin() + static_cast<std::ptrdiff_t>(first),
              terms.begin() + static_cast<std::ptrdiff_t>(std::min(first + tile, terms.size())),
              block.begin());
    threads[first / tile % tile] += block_sum(block);
  }
  return block_sum(threads);
}

class PaperTilesCuda : public test::CudaFixture {
 protected:
  std::vector<float> on_gpu(const std::vector<Vec3>& points, MatrixView<const Capsule> bodies) {
    const auto device_points = upload(points);
    const auto device_bodies =
        upload(std::span(bodies.data(), static_cast<std::size_t>(bodies.rows() * bodies.stride())));
    test::GuardedDevice<float> result(bodies.rows(), stream());
    evaluate_paper_tiles_cuda(device_points.span(),
                              {device_bodies.data(), bodies.rows(), bodies.cols(), bodies.stride()}, camera,
                              max_distance, result.span(), workspace_, stream());
    std::vector<float> found = result.to_host();
    EXPECT_TRUE(result.intact());
    return found;
  }

  void expect_the_paper_loop(const std::vector<Vec3>& points, MatrixView<const Capsule> bodies) {
    const std::vector<float> found = on_gpu(points, bodies);
    std::vector<float> loop(found.size());
    evaluate_paper_loop_cpu(points, bodies, camera, max_distance, loop);
    // A sum of terms that are not negative is off by at most u of itself for each addition that a term goes
    // through: 5 in its warp and 4 among the warps, both in its tile and among the tiles, and one for each
    // 128 tiles. In the loop it is one for each point. u n / (1 - u n), where u n is below 1 %.
    const double u = 0x1p-24 * 1.01, n = static_cast<double>(points.size());
    const double additions = 18 + std::ceil(n / (tile * tile));
    for (std::size_t j = 0; j < found.size(); ++j) {
      const std::vector<float> terms = terms_of(points, bodies, static_cast<std::int64_t>(j));
      const double sum = std::accumulate(terms.begin(), terms.end(), 0.0);
      ASSERT_EQ(found[j], sum_of_blocks(terms)) << j << ", " << points.size() << " points";
      EXPECT_NEAR(double{found[j]}, sum, additions * u * sum) << j;
      EXPECT_NEAR(double{found[j]}, double{loop[j]}, (additions + n) * u * sum) << j;
    }
  }
};

TEST_F(PaperTilesCuda, IsThePaperLoopForOddSizes) {
  struct Shape {
    std::int64_t samples, capsules, points;
  };
  for (const auto& [samples, capsules, points] :
       {Shape{0, 3, 40}, Shape{3, 0, 40}, Shape{2, 3, 0}, Shape{1, 1, 1}, Shape{7, 5, 31}, Shape{8, 9, 32},
        Shape{9, 7, 33}, Shape{17, 63, 127}, Shape{5, 64, 128}, Shape{3, 65, 129}, Shape{2, 130, 1009},
        Shape{2, 5, 20011}}) {
    const CapsuleScene scene = make_capsule_scene(samples, capsules, points, 7);
    expect_the_paper_loop(scene.points, scene.view());
  }
}

TEST_F(PaperTilesCuda, IsThePaperLoopForHostileBodiesAndStridedRows) {
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  const CapsuleScene scene = test::make_hostile_scene(30, 13, 3000, seed);
  expect_the_paper_loop(scene.points, scene.view());
  expect_the_paper_loop(scene.points, {scene.bodies.data(), 30, 11, 13});
}

TEST_F(PaperTilesCuda, APerturbedCapsuleChangesTheBits) {
  CapsuleScene scene = make_capsule_scene(1, 20, 3000, 9);
  const std::vector<float> before = on_gpu(scene.points, scene.view());
  scene.bodies[3].a.x += 1e-3f;
  EXPECT_NE(on_gpu(scene.points, scene.view()), before);
}

TEST_F(PaperTilesCuda, CanBeCapturedRepeatsItsBitsAndAllocatesNothing) {
  const CapsuleScene scene = make_capsule_scene(20, 40, 20000, 10);
  const std::vector<float> expected = on_gpu(scene.points, scene.view());
  const auto points = upload(scene.points);
  const auto bodies = upload(scene.bodies);
  DeviceBuffer<float> result(20);
  const auto enqueue = [&] {
    evaluate_paper_tiles_cuda(points.span(), {bodies.data(), 20, 40}, camera, max_distance, result.span(),
                              workspace_, stream());
  };
  enqueue();
  stream().synchronize();
  const std::int64_t before = device_allocation_count();
  const Graph graph = Graph::capture(stream(), enqueue);
  for (int run = 0; run < 20; ++run) {
    fill_bytes(result.span(), 0xFF, stream());
    graph.launch(stream());
    std::vector<float> found(20);
    copy_to_host(result.span(), std::span<float>(found), stream());
    stream().synchronize();
    ASSERT_EQ(found, expected) << "run " << run;
  }
  EXPECT_EQ(device_allocation_count(), before);
}

TEST_F(PaperTilesCuda, RefusesWhatDoesNotFit) {
  const auto bodies = upload(std::vector<Capsule>(6));
  DeviceBuffer<float> result(2);
  EXPECT_ERROR(evaluate_paper_tiles_cuda({}, {bodies.data(), 3, 2}, camera, max_distance, result.span(),
                                         workspace_, stream()),
               InvalidArgument, "3 bodies but 2 results");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
