#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/bounds.cuh>

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
  __shared__ unsigned count_of_warp[3][point_threads / 32];
  __shared__ std::uint64_t gain_of_warp[point_threads / 32];
  const std::int64_t i = std::int64_t{blockIdx.x} * point_threads + threadIdx.x;
  const std::int64_t last =
      points_used != nullptr && *points_used < points.size() ? *points_used : points.size();
  RayOfPoint made{padding_ray(), 0, 0, Fate::not_finite};
  if (i < last) made = make_ray(points[i], sigma_m.empty() ? measure.sigma_m : sigma_m[i], measure);
  if (i < points.size()) {
    out.ray[i] = made.ray;
    out.distance_m[i] = made.distance_m;
    out.weight[i] = made.weight;
    out.place[i] = made.fate == Fate::used ? place_of(made.ray.x, made.ray.y) : dropped_place;
    out.number[i] = static_cast<std::uint32_t>(i);
  }
  unsigned count[3];
  reduction::block_counts<point_threads>(i < last ? static_cast<int>(made.fate) : -1, count_of_warp, count);
  std::uint64_t gain = count[0] * max_gain(false, 0);
  if (!sigma_m.empty())
    gain = reduction::block_sum<point_threads>(made.fate == Fate::used ? max_gain(true, made.weight) : 0,
                                               gain_of_warp);
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

// A block owns a macro, a warp a part, a thread a place in the order.
__global__ void __launch_bounds__(macro_rays)
    order_rays_kernel(std::int64_t points, const std::uint32_t* place, const std::uint32_t* number,
                      Unsorted from, Ray* rays, std::uint32_t* weight, TileBound* parts, TileBound* macros) {
  __shared__ Box box_of_warp[parts_in_macro];
  __shared__ float off2_of_warp[parts_in_macro];
  const std::int64_t i = std::int64_t{blockIdx.x} * macro_rays + threadIdx.x;
  const bool real = i < points && place[i] != dropped_place;
  const std::uint32_t n = real ? number[i] : 0;
  const Ray ray = real ? from.ray[n] : padding_ray();
  const float distance = real ? from.distance_m[n] : 0;
  rays[i] = ray;
  if (weight != nullptr) weight[i] = real ? from.weight[n] : 0;

  const Box part = reduction::warp_bounds(real ? Box::around({ray.x, ray.y, distance}) : Box::none());
  const float part_off2 = reduction::warp_max(off_middle2(part, ray, real));
  if (threadIdx.x % 32 == 0) parts[i / part_rays] = bound_of(part, part_off2);
  const Box macro = reduction::block_bounds<macro_rays>(part, box_of_warp);
  const float macro_off2 = reduction::block_all_reduce<macro_rays>(off_middle2(macro, ray, real),
                                                                   reduction::Max<float>{}, off2_of_warp);
  if (threadIdx.x == 0) macros[blockIdx.x] = bound_of(macro, macro_off2);
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
      max_points(most),
      rays((most + macro_rays - 1) / macro_rays * macro_rays),
      weight(rays.size()),
      parts(rays.size() / part_rays),
      macros(rays.size() / macro_rays),
      totals(1) {}

DeviceRays::DeviceRays(std::int64_t max_points, const Measure& measure) {
  check_measure(measure);
  require(max_points >= 0 && max_points <= 0x7FFFFFFF - macro_rays, "rays cannot be made of ", max_points,
          " points");
  data_ = std::make_unique<Data>(max_points, measure);
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
