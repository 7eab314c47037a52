// The points of a frame as rays from the camera, sorted for culling: made once per frame, then shared by all
// samples.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace triptych::capsule_likelihood {

enum class Loss { squared, absolute };
// closest: the capsule nearest to the point along its ray counts, a hidden one too (the paper's listings).
// first: the first surface on the ray (a rendered depth map), so that limbs hide each other.
enum class Surface { closest, first };
// A capsule that contains the camera: its exit surface counts (the paper's rule), or it is ignored.
enum class CameraInside { exit_surface, ignore };

// With more points the sums of a likelihood could overflow.
inline constexpr std::int64_t max_rays = std::int64_t{1} << 30;

struct SensorModel {
  Loss loss = Loss::squared;
  Surface surface = Surface::closest;
  CameraInside inside = CameraInside::exit_surface;
  float sigma_m = 0.03f;  // standard deviation of a point's distance, unless points have their own
  float tau_m = 0.1f;     // larger differences, and rays that hit nothing, count as this
  Vec3 camera = {};       // looks along +z
};

// Points that are not finite (or farther than 1000 km), or not in front of the camera (89.94 degrees off its
// axis), are dropped and counted.
struct PointCount {
  std::int64_t used = 0, not_finite = 0, not_in_front = 0;
};

// Rays on the host.
class Rays {
 public:
  // sigma_m: one for each point, or empty for sensor.sigma_m. They are clamped to 1/8 .. 1000 times that
  // (Loss::absolute: 1/64 .. 10^6 times). InvalidArgument for a sensor model out of range (sigma or tau not
  // from 10^-6 to 10^6 m), a sigma that is not above 0, or more than max_rays points.
  Rays(std::span<const Vec3> points, std::span<const float> sigma_m, const SensorModel& sensor,
       int threads = 0);
  Rays(Rays&&) noexcept;
  Rays& operator=(Rays&&) noexcept;
  ~Rays();

  const PointCount& count() const;
  // The loss (a log-likelihood, negated) when every point is truncated: no body has a larger one.
  double max_loss() const;
  const SensorModel& sensor() const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

// Rays on the GPU, made there: with room for max_points, so that setting them allocates nothing.
class DeviceRays {
 public:
  DeviceRays(std::int64_t max_points, const SensorModel& sensor);
  DeviceRays(DeviceRays&&) noexcept;
  DeviceRays& operator=(DeviceRays&&) noexcept;
  ~DeviceRays();

  // Enqueues and returns; can be captured in a graph once the workspace has served that number of points.
  // InvalidArgument when there are more than max_points, or when the number of sigmas is neither 0 nor that
  // of the points. A sigma that is not above 0 drops its point as not finite. points_used_on_device: when
  // given, only the first *points_used_on_device points count; so one graph serves frames of any size.
  void set(DeviceSpan<const Vec3> points, DeviceSpan<const float> sigma_m, Workspace& workspace,
           StreamRef stream);
  void set(DeviceSpan<const Vec3> points, DeviceSpan<const float> sigma_m,
           const std::int64_t* points_used_on_device, Workspace& workspace, StreamRef stream);
  // Both wait for the stream.
  PointCount count(StreamRef stream) const;
  double max_loss(StreamRef stream) const;
  const SensorModel& sensor() const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace triptych::capsule_likelihood
