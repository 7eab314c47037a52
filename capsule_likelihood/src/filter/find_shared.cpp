#include <triptych/core/error.hpp>

#include <algorithm>

#include "filter/find_pose.hpp"
#include "filter/find_shared.hpp"
#include "geometry/rigid_transform_math.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

// An engine whose every frame has the same clouds.
class EngineOfClouds final : public FilterEngine {
 public:
  EngineOfClouds(FilterEngine& engine, std::span<const CloudView> clouds)
      : FilterEngine(engine.skeleton(), engine.sensor()), engine_(engine), clouds_(clouds) {}

  void start(std::span<const float> pose, float widen) override { engine_.start(pose, widen); }
  void submit(const CloudView&) override { engine_.submit_cameras(clouds_); }
  void check_device_clouds() const override { engine_.check_device_clouds(); }
  void submit(const DeviceCloudView& cloud) override { engine_.submit(cloud); }
  void download(const DeviceCloudView& cloud, std::span<Vec3> points, std::span<float> sigma_m) override {
    engine_.download(cloud, points, sigma_m);
  }
  Estimate next() override { return engine_.next(); }
  void drop() override { engine_.drop(); }
  std::vector<float> samples() const override { return engine_.samples(); }

 private:
  FilterEngine& engine_;
  std::span<const CloudView> clouds_;
};

// Of this rank's cameras.
std::vector<Vec3> sample_in_world(const FilterShare& share, const SensorModel& sensor,
                                  std::span<const CloudView> clouds) {
  std::vector<Vec3> points;
  for (std::size_t c = 0; c < clouds.size(); ++c) {
    const RigidTransform world_from_camera = inverse(share.cameras()[c]);
    const EvidenceSample sample = EvidenceSample::of(clouds[c].points);
    for (const Vec3& point : sample.view())
      if (make_ray(point, sensor.sigma_m, sensor).status == RayStatus::used)
        points.push_back(transformed(world_from_camera, point));
  }
  return points;
}

// The points of all ranks, in the order of the ranks.
std::vector<Vec3> gather_points(Exchange& exchange, std::vector<Vec3> own) {
  const auto size = static_cast<std::size_t>(exchange.size());
  const std::size_t count = own.size();
  std::vector<std::size_t> counts(size);
  exchange.gather(std::as_bytes(std::span(&count, 1)), std::as_writable_bytes(std::span(counts)));
  const std::size_t room = *std::max_element(counts.begin(), counts.end());
  own.resize(room);
  std::vector<Vec3> padded(size * room), points;
  exchange.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(padded)));
  for (std::size_t rank = 0; rank < size; ++rank) {
    const auto begin = padded.begin() + static_cast<std::ptrdiff_t>(rank * room);
    points.insert(points.end(), begin, begin + static_cast<std::ptrdiff_t>(counts[rank]));
  }
  return points;
}

}  // namespace

std::vector<Vec3> points_in_world(const FilterShare& share, const SensorModel& sensor,
                                  std::span<const CloudView> clouds) {
  std::vector<Vec3> points = sample_in_world(share, sensor, clouds);
  if (!share.splits_samples()) points = gather_points(share.exchange(), std::move(points));
  require(!points.empty(), "no pose can be found: no point of a camera is finite and in front of it");
  return points;
}

Estimate find_shared(FilterEngine& engine, std::span<const Vec3> points, std::span<const CloudView> clouds) {
  EngineOfClouds same_clouds(engine, clouds);
  return find_pose(same_clouds, points, false);
}

}  // namespace triptych::capsule_likelihood
