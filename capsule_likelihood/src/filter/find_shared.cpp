#include <triptych/core/error.hpp>

#include <algorithm>

#include "filter/find_pose.hpp"
#include "filter/find_shared.hpp"
#include "filter/forwarding_engine.hpp"
#include "geometry/rigid_transform_math.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

// An engine whose every frame has the same clouds.
class EngineOfClouds final : public ForwardingEngine {
 public:
  EngineOfClouds(FilterEngine& engine, std::span<const CloudView> clouds)
      : ForwardingEngine(engine), clouds_(clouds) {}
  using ForwardingEngine::submit;
  void submit(const CloudView&) override { engine().submit_cameras(clouds_); }

 private:
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
