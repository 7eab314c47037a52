// DeviceRays: the rays, their order and counts are those of Rays, bit for bit.
#include <triptych/core/graph.hpp>

#include <limits>

#include "rays/rays_cuda_data.hpp"
#include "rays/rays_data.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

class RaysCuda : public test::CudaFixture {
 protected:
  template <class T>
  std::vector<T> download(const DeviceBuffer<T>& buffer, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    copy_to_host(DeviceSpan<const T>(buffer.span()).first(count), std::span<T>(values), stream());
    stream().synchronize();
    return values;
  }

  // Some of them not finite, some behind the camera.
  static std::vector<Vec3> points(std::int64_t count, std::uint64_t seed) {
    const std::vector<float> numbers = test::random_values<float>(3 * count, -1, 1, seed);
    std::vector<Vec3> made;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      made.push_back({numbers[3 * i], numbers[3 * i + 1], 0.9f + numbers[3 * i + 2]});
      if (i % 13 == 5) made.back().y = std::numeric_limits<float>::quiet_NaN();
    }
    return made;
  }

  void expect_same(const DeviceRays& device, const Rays& host) {
    const DeviceRays::Data& d = device.data();
    const Rays::Data& h = host.data();
    const PointCount count = device.count(stream()), expected = host.count();
    EXPECT_EQ(count.used, expected.used);
    EXPECT_EQ(count.not_finite, expected.not_finite);
    EXPECT_EQ(count.not_in_front, expected.not_in_front);
    EXPECT_EQ(download(d.totals, 1)[0].max_gain, h.max_gain);
    EXPECT_EQ(device.max_loss(stream()), host.max_loss());
    const auto padded = static_cast<std::int64_t>(h.x.size());
    ASSERT_GE(d.ray_block_count() * rays_per_ray_block, padded);
    const std::vector<Ray> rays = download(d.rays, d.ray_block_count() * rays_per_ray_block);
    for (std::int64_t i = 0; i < d.ray_block_count() * rays_per_ray_block; ++i) {
      const Ray wanted = i < padded ? h.ray(i) : padding_ray();
      const Ray& found = rays[static_cast<std::size_t>(i)];
      ASSERT_TRUE(found.x == wanted.x && found.y == wanted.y && found.g == wanted.g && found.h == wanted.h)
          << i;
    }
    const std::vector<TileBound> sub_tiles = download(d.sub_tiles, padded / rays_per_sub_tile);
    for (std::size_t i = 0; i < sub_tiles.size(); ++i) {
      const TileBound wanted = h.sub_tiles[i];
      EXPECT_EQ(sub_tiles[i].nearest_m, wanted.nearest_m);
      EXPECT_EQ(sub_tiles[i].farthest_m, wanted.farthest_m);
      EXPECT_FLOAT_EQ(sub_tiles[i].radius, wanted.radius);
    }
    const std::vector<TileBound> ray_blocks = download(d.ray_blocks, padded / rays_per_ray_block);
    for (std::size_t i = 0; i < ray_blocks.size(); ++i) {
      EXPECT_EQ(ray_blocks[i].nearest_m, h.ray_blocks[i].nearest_m);
      EXPECT_FLOAT_EQ(ray_blocks[i].radius, h.ray_blocks[i].radius);
      EXPECT_EQ(ray_blocks[i].x, h.ray_blocks[i].x);
    }
    if (d.weighted) {
      const std::vector<std::uint32_t> weights = download(d.weight, padded);
      EXPECT_EQ(weights, h.weight);
    }
  }
};

TEST_F(RaysCuda, AreThoseOfTheHost) {
  SensorModel m;
  m.camera = {0.1f, -0.2f, 0.05f};
  for (const std::int64_t count : {0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 50021}) {
    SCOPED_TRACE(count);
    const std::vector<Vec3> cloud = points(count, 5);
    const std::vector<float> sigma = test::random_values<float>(count, 0.001f, 0.3f, 6);
    const auto device_points = upload(cloud);
    const auto device_sigma = upload(sigma);
    DeviceRays rays(50021, m);
    rays.set(device_points.span(), {}, workspace_, stream());
    expect_same(rays, Rays(cloud, {}, m));
    m.loss = Loss::absolute;
    DeviceRays weighted(count, m);
    weighted.set(device_points.span(), device_sigma.span(), workspace_, stream());
    expect_same(weighted, Rays(cloud, sigma, m));
  }
}

TEST_F(RaysCuda, AGraphServesFramesOfAnySize) {
  const std::vector<Vec3> cloud = points(5000, 7);
  const auto device_points = upload(cloud);
  DeviceBuffer<std::int64_t> used = upload(std::vector<std::int64_t>{0});
  DeviceRays rays(5000, {});
  const auto set = [&] { rays.set(device_points.span(), {}, used.data(), workspace_, stream()); };
  set();
  stream().synchronize();
  const std::int64_t before = device_allocation_count();
  const Graph graph = Graph::capture(stream(), set);
  for (const std::int64_t count : {5000, 1, 0, 1777, 6000}) {
    copy_to_device(std::span(&count, 1), used.span(), stream());
    graph.launch(stream());
    stream().synchronize();
    const auto first = std::min<std::size_t>(static_cast<std::size_t>(count), cloud.size());
    expect_same(rays, Rays(std::span(cloud).first(first), {}, {}));
  }
  EXPECT_EQ(device_allocation_count(), before);
}

TEST_F(RaysCuda, ABadSigmaDropsItsPoint) {
  const std::vector<Vec3> cloud(3, Vec3{0, 0, 1});
  const auto device_points = upload(cloud);
  const auto sigma = upload(std::vector<float>{0.1f, 0, std::numeric_limits<float>::quiet_NaN()});
  DeviceRays rays(3, {});
  rays.set(device_points.span(), sigma.span(), workspace_, stream());
  EXPECT_EQ(rays.count(stream()).used, 1);
  EXPECT_EQ(rays.count(stream()).not_finite, 2);
}

TEST_F(RaysCuda, RefuseWhatDoesNotFit) {
  const auto cloud = upload(std::vector<Vec3>(4));
  const auto sigma = upload(std::vector<float>(3, 0.1f));
  DeviceRays rays(3, {});
  EXPECT_ERROR(rays.set(cloud.span(), {}, workspace_, stream()), InvalidArgument,
               "room for 3 points, not for 4");
  EXPECT_ERROR(DeviceRays(4, {}).set(cloud.span(), sigma.span(), workspace_, stream()), InvalidArgument,
               "4 points but 3 sigmas");
  SensorModel m;
  m.tau_m = -1;
  EXPECT_ERROR(DeviceRays(3, m), InvalidArgument, "tau");
  EXPECT_ERROR(DeviceRays(-1, {}), InvalidArgument, "-1 points");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
