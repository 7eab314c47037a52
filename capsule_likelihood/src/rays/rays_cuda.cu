#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/warp.cuh>

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

#include "rays/pieces.hpp"
#include "rays/rays_cuda_data.hpp"
#include "rays/rays_data.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int point_threads = 256;

// What is known of a point before the rays are put in order.
struct Unsorted {
  Ray* ray;
  float* distance_m;
  std::uint32_t* weight;
  std::uint32_t* place;
  std::uint32_t* number;
};

// A thread owns a point. Dropped points get the last place, so that they end up behind all others.
__global__ void __launch_bounds__(point_threads)
    make_rays_kernel(DeviceSpan<const Vec3> points, DeviceSpan<const float> sigma_m, Measure measure,
                     const std::int64_t* points_used, Unsorted out, PointTotals* totals) {
  __shared__ unsigned counts[3];
  __shared__ unsigned long long gain;
  if (threadIdx.x < 3) counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) gain = 0;
  __syncthreads();
  const std::int64_t i = std::int64_t{blockIdx.x} * point_threads + threadIdx.x;
  const std::int64_t last =
      points_used != nullptr && *points_used < points.size() ? *points_used : points.size();
  if (i < points.size()) {
    RayOfPoint made{padding_ray(), 0, 0, Fate::not_finite};
    if (i < last) {
      made = make_ray(points[i], sigma_m.empty() ? measure.sigma_m : sigma_m[i], measure);
      atomicAdd(&counts[static_cast<int>(made.fate)], 1u);
      if (made.fate == Fate::used && !sigma_m.empty())
        atomicAdd(&gain, static_cast<unsigned long long>(most_gain(true, made.weight)));
    }
    out.ray[i] = made.ray;
    out.distance_m[i] = made.distance_m;
    out.weight[i] = made.weight;
    out.place[i] = made.fate == Fate::used ? place_of(made.ray.x, made.ray.y) : dropped_place;
    out.number[i] = static_cast<std::uint32_t>(i);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (sigma_m.empty()) gain = counts[0] * static_cast<unsigned long long>(most_gain(false, 0));
    if (counts[0] != 0) atomicAdd(&totals->used, static_cast<unsigned long long>(counts[0]));
    if (counts[1] != 0) atomicAdd(&totals->not_finite, static_cast<unsigned long long>(counts[1]));
    if (counts[2] != 0) atomicAdd(&totals->not_in_front, static_cast<unsigned long long>(counts[2]));
    if (gain != 0) atomicAdd(&totals->most_gain, gain);
  }
}

struct Box {
  float left, right, low, high, nearest_m, farthest_m;

  __device__ void join(const Box& b) {
    left = fminf(left, b.left);
    right = fmaxf(right, b.right);
    low = fminf(low, b.low);
    high = fmaxf(high, b.high);
    nearest_m = fminf(nearest_m, b.nearest_m);
    farthest_m = fmaxf(farthest_m, b.farthest_m);
  }
  __device__ float middle_x() const { return 0.5f * (left + right); }
  __device__ float middle_y() const { return 0.5f * (low + high); }
};

__device__ Box join_warp(const Box& box) {
  return reduction::warp_all_reduce(box, [](Box a, const Box& b) {
    a.join(b);
    return a;
  });
}

// How far a ray is from the middle of a box, squared; 0 for one that is not real.
__device__ float off_middle2(const Box& box, const Ray& ray, bool real) {
  const float dx = ray.x - box.middle_x(), dy = ray.y - box.middle_y();
  return real ? fmaf(dx, dx, dy * dy) : 0.0f;
}

__device__ TileBound bound_of(const Box& box, float off2) {
  if (box.nearest_m > box.farthest_m) return empty_bound();
  return {box.middle_x(), box.middle_y(), sqrtf(off2) * 1.00001f, box.nearest_m, box.farthest_m};
}

// A block owns a macro, a warp a part, a thread a place in the order.
__global__ void __launch_bounds__(macro_rays)
    order_rays_kernel(std::int64_t points, const std::uint32_t* place, const std::uint32_t* number,
                      Unsorted from, Ray* rays, std::uint32_t* weight, TileBound* parts, TileBound* macros) {
  __shared__ Box boxes[parts_in_macro];
  __shared__ float off2[parts_in_macro];
  const std::int64_t i = std::int64_t{blockIdx.x} * macro_rays + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const bool real = i < points && place[i] != dropped_place;
  const std::uint32_t n = real ? number[i] : 0;
  const Ray ray = real ? from.ray[n] : padding_ray();
  const float distance = real ? from.distance_m[n] : 0;
  rays[i] = ray;
  if (weight != nullptr) weight[i] = real ? from.weight[n] : 0;

  constexpr float out = 1e30f;
  Box box{out, -out, out, -out, out, -out};
  if (real) box = {ray.x, ray.x, ray.y, ray.y, distance, distance};
  box = join_warp(box);
  const float part_off2 = reduction::warp_max(off_middle2(box, ray, real));
  if (lane == 0) {
    parts[std::int64_t{blockIdx.x} * parts_in_macro + warp] = bound_of(box, part_off2);
    boxes[warp] = box;
  }
  __syncthreads();
  box = join_warp(boxes[lane]);
  const float warp_off2 = reduction::warp_max(off_middle2(box, ray, real));
  if (lane == 0) off2[warp] = warp_off2;
  __syncthreads();
  if (warp == 0) {
    const float macro_off2 = reduction::warp_max(off2[lane]);
    if (lane == 0) macros[blockIdx.x] = bound_of(box, macro_off2);
  }
}

struct SortBuffers {
  SortBuffers(std::byte* memory, std::int64_t points, std::size_t cub) : cub_bytes(cub) {
    Pieces pieces(memory);
    unsorted.ray = pieces.take<Ray>(points);
    unsorted.distance_m = pieces.take<float>(points);
    unsorted.weight = pieces.take<std::uint32_t>(points);
    unsorted.place = pieces.take<std::uint32_t>(points);
    unsorted.number = pieces.take<std::uint32_t>(points);
    place = pieces.take<std::uint32_t>(points);
    number = pieces.take<std::uint32_t>(points);
    cub_memory = pieces.take<std::byte>(static_cast<std::int64_t>(cub));
    bytes = pieces.bytes();
  }
  Unsorted unsorted;
  std::uint32_t *place, *number;
  std::byte* cub_memory;
  std::size_t cub_bytes, bytes;
};

}  // namespace

DeviceRays::Data::Data(std::int64_t most, const Measure& wanted)
    : measure(wanted),
      most_points(most),
      rays((most + macro_rays - 1) / macro_rays * macro_rays),
      weight(rays.size()),
      parts(rays.size() / part_rays),
      macros(rays.size() / macro_rays),
      totals(1) {}

DeviceRays::DeviceRays(std::int64_t most_points, const Measure& measure) {
  check_measure(measure);
  require(most_points >= 0 && most_points <= 0x7FFFFFFF - macro_rays, "rays cannot be made of ", most_points,
          " points");
  data_ = std::make_unique<Data>(most_points, measure);
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
  require(points.size() <= d.most_points, "there is room for ", d.most_points, " points, not for ",
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
         sigma_m, d.measure, points_used_on_device, sort.unsorted, d.totals.data());
  TRIPTYCH_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(sort.cub_memory, cub_bytes, sort.unsorted.place,
                                                      sort.place, sort.unsorted.number, sort.number, count, 0,
                                                      order_bits, to_cuda(stream)));
  launch(order_rays_kernel, {static_cast<unsigned>(d.macro_count()), static_cast<unsigned>(macro_rays)},
         stream, points.size(), sort.place, sort.number, sort.unsorted, d.rays.data(),
         d.weighted ? d.weight.data() : nullptr, d.parts.data(), d.macros.data());
}

PointCount DeviceRays::count(StreamRef stream) const {
  PointTotals totals{};
  copy_to_host(DeviceSpan<const PointTotals>(data_->totals.span()), std::span(&totals, 1), stream);
  stream.synchronize();
  return {static_cast<std::int64_t>(totals.used), static_cast<std::int64_t>(totals.not_finite),
          static_cast<std::int64_t>(totals.not_in_front)};
}

const Measure& DeviceRays::measure() const { return data_->measure; }

}  // namespace triptych::capsule_likelihood
