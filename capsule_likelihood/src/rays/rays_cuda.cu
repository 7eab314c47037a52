#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/bounds.cuh>

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

#include "rays/rays_cuda_data.hpp"
#include "rays/rays_data.hpp"
#include "rays/rays_math.hpp"
#include "rays/workspace_layout.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int point_threads = 256;

// The rays before they are sorted.
struct Unsorted {
  Ray* ray;
  float* distance_m;
  std::uint32_t* weight;
  std::uint32_t* key;
  std::uint32_t* number;
};

// A thread owns a point. Dropped points get the last key, which sorts them behind all others.
__global__ void __launch_bounds__(point_threads)
    make_rays_kernel(DeviceSpan<const Vec3> points, DeviceSpan<const float> sigma_m, SensorModel sensor,
                     const std::int64_t* points_used, Unsorted out, PointTotals* totals) {
  __shared__ unsigned count_of_warp[3][point_threads / 32];
  __shared__ std::uint64_t gain_of_warp[point_threads / 32];
  const std::int64_t i = std::int64_t{blockIdx.x} * point_threads + threadIdx.x;
  const std::int64_t last =
      points_used != nullptr && *points_used < points.size() ? *points_used : points.size();
  RayOfPoint made{padding_ray(), 0, 0, RayStatus::not_finite};
  if (i < last) made = make_ray(points[i], sigma_m.empty() ? sensor.sigma_m : sigma_m[i], sensor);
  if (i < points.size()) {
    out.ray[i] = made.ray;
    out.distance_m[i] = made.distance_m;
    out.weight[i] = made.weight;
    out.key[i] = made.status == RayStatus::used ? hilbert_key(made.ray.x, made.ray.y) : dropped_key;
    out.number[i] = static_cast<std::uint32_t>(i);
  }
  unsigned count[3];
  reduction::block_counts<point_threads>(i < last ? static_cast<int>(made.status) : -1, count_of_warp, count);
  std::uint64_t gain = count[0] * max_gain(false, 0);
  if (!sigma_m.empty())
    gain = reduction::block_sum<point_threads>(
        made.status == RayStatus::used ? max_gain(true, made.weight) : 0, gain_of_warp);
  if (threadIdx.x == 0) {
    if (count[0] != 0) atomicAdd(&totals->used, static_cast<unsigned long long>(count[0]));
    if (count[1] != 0) atomicAdd(&totals->not_finite, static_cast<unsigned long long>(count[1]));
    if (count[2] != 0) atomicAdd(&totals->not_in_front, static_cast<unsigned long long>(count[2]));
    if (gain != 0) atomicAdd(&totals->max_gain, static_cast<unsigned long long>(gain));
  }
}

// Of rays: x, y and the distance of the point.
using Box = reduction::Bounds<3>;

// How far a ray is from the middle of a box, squared; 0 for one that is not real.
__device__ float off_middle2(const Box& box, const Ray& ray, bool real) {
  const float dx = ray.x - box.middle(0), dy = ray.y - box.middle(1);
  return real ? fmaf(dx, dx, dy * dy) : 0.0f;
}

__device__ TileBound bound_of(const Box& box, float off2) {
  if (box.empty()) return empty_bound();
  return {box.middle(0), box.middle(1), sqrtf(off2) * 1.00001f, box.low[2], box.high[2]};
}

// A block owns a ray block, a warp a sub-tile, a thread a ray in sorted order.
__global__ void __launch_bounds__(rays_per_ray_block)
    order_rays_kernel(std::int64_t points, const std::uint32_t* key, const std::uint32_t* number,
                      Unsorted from, Ray* rays, std::uint32_t* weight, TileBound* sub_tiles,
                      TileBound* ray_blocks) {
  __shared__ Box box_of_warp[sub_tiles_per_ray_block];
  __shared__ float off2_of_warp[sub_tiles_per_ray_block];
  const std::int64_t i = std::int64_t{blockIdx.x} * rays_per_ray_block + threadIdx.x;
  const bool real = i < points && key[i] != dropped_key;
  const std::uint32_t n = real ? number[i] : 0;
  const Ray ray = real ? from.ray[n] : padding_ray();
  const float distance = real ? from.distance_m[n] : 0;
  rays[i] = ray;
  if (weight != nullptr) weight[i] = real ? from.weight[n] : 0;

  const Box sub_tile = reduction::warp_bounds(real ? Box::around({ray.x, ray.y, distance}) : Box::none());
  const float sub_tile_off2 = reduction::warp_max(off_middle2(sub_tile, ray, real));
  if (threadIdx.x % 32 == 0) sub_tiles[i / rays_per_sub_tile] = bound_of(sub_tile, sub_tile_off2);
  const Box ray_block = reduction::block_bounds<rays_per_ray_block>(sub_tile, box_of_warp);
  const float ray_block_off2 = reduction::block_all_reduce<rays_per_ray_block>(
      off_middle2(ray_block, ray, real), reduction::Max<float>{}, off2_of_warp);
  if (threadIdx.x == 0) ray_blocks[blockIdx.x] = bound_of(ray_block, ray_block_off2);
}

struct SortBuffers {
  SortBuffers(std::byte* memory, std::int64_t points, std::size_t cub) : cub_bytes(cub) {
    WorkspaceLayout layout(memory);
    unsorted.ray = layout.take<Ray>(points);
    unsorted.distance_m = layout.take<float>(points);
    unsorted.weight = layout.take<std::uint32_t>(points);
    unsorted.key = layout.take<std::uint32_t>(points);
    unsorted.number = layout.take<std::uint32_t>(points);
    key = layout.take<std::uint32_t>(points);
    number = layout.take<std::uint32_t>(points);
    cub_memory = layout.take<std::byte>(static_cast<std::int64_t>(cub));
    bytes = layout.bytes();
  }
  Unsorted unsorted;
  std::uint32_t *key, *number;
  std::byte* cub_memory;
  std::size_t cub_bytes, bytes;
};

}  // namespace

DeviceRays::Data::Data(std::int64_t most, const SensorModel& wanted)
    : sensor(wanted),
      max_points(most),
      rays((most + rays_per_ray_block - 1) / rays_per_ray_block * rays_per_ray_block),
      weight(rays.size()),
      sub_tiles(rays.size() / rays_per_sub_tile),
      ray_blocks(rays.size() / rays_per_ray_block),
      totals(1) {}

DeviceRays::DeviceRays(std::int64_t max_points, const SensorModel& sensor) {
  check_sensor(sensor);
  require(max_points >= 0 && max_points <= max_rays, "rays cannot be made of ", max_points, " points");
  data_ = std::make_unique<Data>(max_points, sensor);
}
DeviceRays::DeviceRays(DeviceRays&&) noexcept = default;
DeviceRays& DeviceRays::operator=(DeviceRays&&) noexcept = default;
DeviceRays::~DeviceRays() = default;

void DeviceRays::set(DeviceSpan<const Vec3> points, DeviceSpan<const float> sigma_m, Workspace& workspace,
                     StreamRef stream) {
  set(points, sigma_m, nullptr, workspace, stream);
}

void DeviceRays::set(DeviceSpan<const Vec3> points, DeviceSpan<const float> sigma_m,
                     const std::int64_t* points_used_on_device, Workspace& workspace, StreamRef stream) {
  Data& d = *data_;
  require(points.size() <= d.max_points, "there is room for ", d.max_points, " points, not for ",
          points.size());
  require(sigma_m.empty() || sigma_m.size() == points.size(), "there are ", points.size(), " points but ",
          sigma_m.size(), " sigmas");
  const auto count = static_cast<int>(points.size());
  std::size_t cub_bytes = 0;
  const std::uint32_t* no_keys = nullptr;
  std::uint32_t* no_output = nullptr;
  TRIPTYCH_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, cub_bytes, no_keys, no_output, no_keys,
                                                      no_output, count, 0, order_bits, to_cuda(stream)));
  workspace.reserve(SortBuffers(nullptr, count, cub_bytes).bytes, stream);
  const SortBuffers sort(workspace.scratch(), count, cub_bytes);
  d.points = points.size();
  d.weighted = !sigma_m.empty();
  fill_bytes(d.totals.span(), 0, stream);
  if (count == 0) return;
  launch(make_rays_kernel,
         {static_cast<unsigned>((count + point_threads - 1) / point_threads), point_threads}, stream, points,
         sigma_m, d.sensor, points_used_on_device, sort.unsorted, d.totals.data());
  TRIPTYCH_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(sort.cub_memory, cub_bytes, sort.unsorted.key, sort.key,
                                                      sort.unsorted.number, sort.number, count, 0, order_bits,
                                                      to_cuda(stream)));
  launch(order_rays_kernel,
         {static_cast<unsigned>(d.ray_block_count()), static_cast<unsigned>(rays_per_ray_block)}, stream,
         points.size(), sort.key, sort.number, sort.unsorted, d.rays.data(),
         d.weighted ? d.weight.data() : nullptr, d.sub_tiles.data(), d.ray_blocks.data());
}

PointTotals DeviceRays::Data::read_totals(StreamRef stream) const {
  PointTotals read{};
  copy_to_host(DeviceSpan<const PointTotals>(totals.span()), std::span(&read, 1), stream);
  stream.synchronize();
  return read;
}

PointCount DeviceRays::count(StreamRef stream) const { return data_->read_totals(stream).count(); }
double DeviceRays::max_loss(StreamRef stream) const {
  return capsule_likelihood::max_loss(data_->sensor, data_->weighted, data_->read_totals(stream).max_gain);
}

const SensorModel& DeviceRays::sensor() const { return data_->sensor; }

}  // namespace triptych::capsule_likelihood
