// A frame's points as rays from the camera, in the order in which they are best tested: made once a frame,
// then shared by all samples.
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
// closest: the capsule nearest to the point along its ray counts, a hidden one too (the paper's listing).
// first: the first surface that the ray meets (a rendered depth map), so that limbs hide each other.
enum class Surface { closest, first };
// What a capsule that contains the camera does: its exit surface counts (the paper's rule), or it is ignored.
enum class CameraInside { exit_surface, ignore };

struct SensorModel {
  Loss loss = Loss::squared;
  Surface surface = Surface::closest;
  CameraInside inside = CameraInside::exit_surface;
  float sigma_m = 0.03f;  // of a point's distance; a sigma for each point can be given beside the points
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
  // sigma_m: one for each point, or empty for measure.sigma_m; from an eighth to a thousand times that,
  // nearer and farther ones count as these (Loss::absolute: from a 64th to a million times). InvalidArgument
  // for a measure that makes no sense (sigma or tau not above 0) or a sigma that is not above 0.
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

  // Enqueues and returns; can be captured in a graph once the workspace has served as many points.
  // InvalidArgument when there are more than max_points, or neither none nor as many sigmas. A sigma that is
  // not above 0 drops its point as not finite. points_used_on_device: when given, only so many of the points
  // count, which lets a graph serve frames of any size.
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
