#include <triptych/capsule_likelihood/cuda_group.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <algorithm>
#include <atomic>

#include "likelihood/evaluate_paths.hpp"
#include "likelihood/run_on_threads.hpp"
#include "rays/rays_data.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Grows to hold at least count elements.
template <class T>
void make_room(DeviceBuffer<T>& buffer, std::int64_t count) {
  if (buffer.size() < count) buffer = DeviceBuffer<T>(count);
}

}  // namespace

// Made and used with its device current. All of it is on one device; only the thread of that device uses it
// during a call.
struct CudaGroup::Member {
  Member(int ordinal, std::int64_t max_points, const SensorModel& sensor)
      : device(Device::cuda(ordinal)), points(max_points), rays(max_points, sensor) {}

  Device device;
  Stream stream;
  Workspace workspace;
  DeviceBuffer<Vec3> points;
  DeviceBuffer<float> sigma_m;
  DeviceBuffer<Capsule> bodies;
  DeviceBuffer<double> results;
  DeviceRays rays;
};

CudaGroup::CudaGroup(std::span<const int> ordinals, std::int64_t max_points, const SensorModel& sensor,
                     const EvaluateOptions& options)
    : options_(options) {
  require(!ordinals.empty(), "a group needs at least one GPU");
  require(max_points >= 0 && max_points <= max_rays, "a group of GPUs cannot take ", max_points,
          " points: 0 to ", max_rays, " are possible");
  check_sensor(sensor);
  check_method(options.method);
  members_.resize(ordinals.size());
  detail::run_on_threads(ordinals.size(), [&](std::size_t i) {
    const DeviceGuard guard(Device::cuda(ordinals[i]));
    members_[i] = std::make_unique<Member>(ordinals[i], max_points, sensor);
  });
}
CudaGroup::CudaGroup(CudaGroup&&) noexcept = default;
CudaGroup& CudaGroup::operator=(CudaGroup&&) noexcept = default;
CudaGroup::~CudaGroup() = default;

int CudaGroup::size() const { return static_cast<int>(members_.size()); }

PointCount CudaGroup::set(std::span<const Vec3> points, std::span<const float> sigma_m) {
  const auto count = static_cast<std::int64_t>(points.size());
  require(count <= members_.front()->points.size(), "there is room for ", members_.front()->points.size(),
          " points, not for ", count);
  check_sigmas(points.size(), sigma_m);
  std::vector<PointCount> counts(members_.size());
  is_set_ = false;
  detail::run_on_threads(members_.size(), [&](std::size_t i) {
    Member& m = *members_[i];
    const DeviceGuard guard(m.device);
    copy_to_device(points, m.points.span().first(count), m.stream);
    const auto sigmas = static_cast<std::int64_t>(sigma_m.size());
    make_room(m.sigma_m, sigmas);
    copy_to_device(sigma_m, m.sigma_m.span().first(sigmas), m.stream);
    m.rays.set(m.points.span().first(count), m.sigma_m.span().first(sigmas), m.workspace, m.stream);
    counts[i] = m.rays.count(m.stream);
    if (i == 0) max_loss_ = m.rays.max_loss(m.stream);
  });
  is_set_ = true;
  return counts.front();
}

void CudaGroup::evaluate(MatrixView<const Capsule> bodies, std::span<double> log_likelihoods) {
  check_bodies(bodies, log_likelihoods.size());
  require(is_set_, "a group of GPUs has no points, or set() has failed: call set() first");
  const auto group = static_cast<std::int64_t>(members_.size());
  // Several chunks per GPU, so that a fast GPU takes work from a slow one; a single GPU gets one chunk.
  const std::int64_t wanted = group == 1 ? 1 : 4 * group;
  const std::int64_t chunk = std::max<std::int64_t>(64, (bodies.rows() + wanted - 1) / wanted);
  std::atomic<std::int64_t> next{0};
  detail::run_on_threads(members_.size(), [&](std::size_t i) {
    Member& m = *members_[i];
    const DeviceGuard guard(m.device);
    for (std::int64_t first = next.fetch_add(chunk); first < bodies.rows(); first = next.fetch_add(chunk)) {
      const std::int64_t count = std::min(chunk, bodies.rows() - first);
      // All rows with their stride, without the padding of the last.
      const std::int64_t words = (count - 1) * bodies.stride() + bodies.cols();
      make_room(m.bodies, chunk * bodies.stride());
      make_room(m.results, chunk);
      copy_to_device(std::span(bodies.data() + first * bodies.stride(), static_cast<std::size_t>(words)),
                     m.bodies.span().first(words), m.stream);
      evaluate_cuda(m.rays, {m.bodies.data(), count, bodies.cols(), bodies.stride()},
                    m.results.span().first(count), options_, m.workspace, m.stream);
      copy_to_host(m.results.span().first(count),
                   log_likelihoods.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
                   m.stream);
      m.stream.synchronize();
    }
  });
}

}  // namespace triptych::capsule_likelihood
