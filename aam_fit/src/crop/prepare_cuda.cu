// Crops of frames and their features on the GPU: the sums of prepare_cpu and features_cpu in the same order.
// A thread owns a pixel of a crop (of a channel); z counts the faces, or the channels of all faces.
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/block.cuh>

#include <utility>

#include "crop/prepare_cpu.hpp"
#include "crop/prepare_cuda.hpp"
#include "crop/prepare_math.hpp"
#include "features/features_math.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int tile_x = 32, tile_y = 8;
constexpr int max_images = 65535;  // along z of a grid

// Images of one size, `stride` floats apart, in `group`s that lie `group_stride` apart.
struct Stack {
  float* data;
  std::int64_t pitch, stride, group_stride;
  int group;
  __device__ float* image(int i) const { return data + i / group * group_stride + i % group * stride; }
};

struct Pixel {
  int x, y, z;
  bool inside;
};
__device__ Pixel pixel_of(int width, int height) {
  const int x = static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.y);
  return {x, y, static_cast<int>(blockIdx.z), x < width && y < height};
}

__global__ void crop_kernel(const PrepareTask task, const Stack out) {
  const Pixel at = pixel_of(task.width, task.height);
  if (!at.inside) return;
  const FrameOnDevice frame = task.frames != nullptr ? task.frames[at.z] : task.frame;
  const double step = task.crops != nullptr ? task.crops[at.z].step : task.crop.step;
  const double x_px = task.crops != nullptr ? task.crops[at.z].x_px : task.crop.x_px;
  const double y_px = task.crops != nullptr ? task.crops[at.z].y_px : task.crop.y_px;
  const BoxTaps across = box_taps(at.x * step + x_px, step), down = box_taps(at.y * step + y_px, step);
  float sum = 0, column = 0;
  for (int i = 0, last_x = -1; i < across.count; ++i) {
    const int x = clamp_to(across.first + i, frame.width);
    if (x != last_x) {  // beyond the border the column repeats
      column = 0;
      for (int k = 0; k < down.count; ++k)
        column += box_weight(down, down.first + k) *
                  static_cast<float>(frame.data[clamp_to(down.first + k, frame.height) * frame.pitch + x]);
      last_x = x;
    }
    sum += box_weight(across, across.first + i) * column;
  }
  out.image(at.z)[at.y * out.pitch + at.x] = sum;
}

constexpr int max_radius = 300;
struct Gaussian {
  int radius = 0;
  float weights[max_radius + 1];
};

template <bool along_rows>
__global__ void blur_kernel(const Gaussian gaussian, int width, int height, const Stack in, const Stack out) {
  const Pixel at = pixel_of(width, height);
  if (!at.inside) return;
  const float* image = in.image(at.z);
  const auto value = [&](int offset) {
    const int x = along_rows ? clamp_to(at.x + offset, width) : at.x;
    const int y = along_rows ? at.y : clamp_to(at.y + offset, height);
    return image[y * in.pitch + x];
  };
  float sum = gaussian.weights[0] * value(0);
  for (int k = 1; k <= gaussian.radius; ++k) sum += gaussian.weights[k] * (value(-k) + value(k));
  out.image(at.z)[at.y * out.pitch + at.x] = sum;
}

struct Gradient {
  float x, y;
};
__device__ Gradient gradient_at(const float* grey, std::int64_t pitch, const Pixel& at, int width,
                                int height) {
  const float *row = grey + at.y * pitch, *above = grey + clamp_to(at.y - 1, height) * pitch,
              *below = grey + clamp_to(at.y + 1, height) * pitch;
  return {half_difference(row[clamp_to(at.x - 1, width)], row[clamp_to(at.x + 1, width)]),
          half_difference(above[at.x], below[at.x])};
}

__global__ void size_kernel(int width, int height, const Stack grey, const Stack out) {
  const Pixel at = pixel_of(width, height);
  if (!at.inside) return;
  const Gradient g = gradient_at(grey.image(at.z), grey.pitch, at, width, height);
  out.image(at.z)[at.y * out.pitch + at.x] = gradient_size(g.x, g.y);
}

// Writes the mean of an image over its first pixel; a block owns an image.
constexpr int mean_threads = 512;
__global__ void mean_kernel(int width, int height, const Stack images) {
  __shared__ double of_warp[mean_threads / 32];
  float* image = images.image(static_cast<int>(blockIdx.x));
  const int t = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int i = t; i < width * height; i += mean_threads) sum += image[i / width * images.pitch + i % width];
  sum = reduction::block_sum_in_order<mean_threads>(sum, of_warp);
  if (t == 0) image[0] = static_cast<float>(sum / (static_cast<double>(width) * height));
}

__global__ void features_kernel(const Features features, const BinDirections directions, int width,
                                int height, const Stack grey, const Stack local_mean, const Stack out) {
  const Pixel at = pixel_of(width, height);
  if (!at.inside) return;
  const Gradient g = gradient_at(grey.image(at.z), grey.pitch, at, width, height);
  const float mean = features.local_px > 0 ? local_mean.image(at.z)[at.y * local_mean.pitch + at.x]
                                           : local_mean.image(at.z)[0];
  gradient_features(features.kind, features.bins, directions, g.x, g.y, mean, [&](int channel, float v) {
    out.image(at.z * out.group + channel)[at.y * out.pitch + at.x] = v;
  });
}

struct Launcher {
  int width, height;
  StreamRef stream;
  LaunchShape shape(int images) const {
    return {dim3(static_cast<unsigned>((width + tile_x - 1) / tile_x),
                 static_cast<unsigned>((height + tile_y - 1) / tile_y), static_cast<unsigned>(images)),
            dim3(tile_x, tile_y)};
  }
  // Through `other`, back into `images`.
  void blur(float sigma_px, int count, const Stack& images, const Stack& other) const {
    Gaussian gaussian;
    gaussian.radius = gaussian_radius(sigma_px);
    if (gaussian.radius == 0) return;
    gaussian_weights(sigma_px, gaussian.weights);
    launch(blur_kernel<true>, shape(count), stream, gaussian, width, height, images, other);
    launch(blur_kernel<false>, shape(count), stream, gaussian, width, height, other, images);
  }
};

}  // namespace

std::int64_t scratch_floats(std::int32_t width, std::int32_t height, const Features& features) {
  return (2 + std::int64_t{channels(features)}) * width * height;
}

void launch_prepare(const PrepareTask& task, const Features& features, StreamRef stream) {
  check_features(features);
  const int count = channels(features);
  const std::int64_t size = std::int64_t{task.width} * task.height;
  const Launcher launcher{task.width, task.height, stream};
  const std::int64_t own = scratch_floats(task.width, task.height, features);
  if (const int most = max_images / count; task.faces > most) {  // in parts that a grid can count
    PrepareTask part = task, rest = task;
    part.faces = most;
    rest.faces = task.faces - most;
    if (task.frames != nullptr) rest.frames += most;
    if (task.crops != nullptr) rest.crops += most;
    rest.scratch += most * own;
    rest.planes += most * task.face;
    launch_prepare(part, features, stream);
    return launch_prepare(rest, features, stream);
  }
  const Stack planes{task.planes, task.pitch, task.pitch * task.height, task.face, count};
  const Stack grey{task.scratch, task.width, size, own, 1};
  const Stack local_mean{task.scratch + size, task.width, size, own, 1};
  const Stack spare{task.scratch + 2 * size, task.width, size, own, count};
  const Stack spare_grey{task.scratch + 2 * size, task.width, size, own, 1};
  if (features.kind == FeatureKind::grey) {
    launch(crop_kernel, launcher.shape(task.faces), stream, task, planes);
    launcher.blur(features.smooth_px, task.faces, planes, spare);
    return;
  }
  launch(crop_kernel, launcher.shape(task.faces), stream, task, grey);
  launcher.blur(features.smooth_px, task.faces, grey, spare_grey);
  launch(size_kernel, launcher.shape(task.faces), stream, task.width, task.height, grey, local_mean);
  if (features.local_px > 0)
    launcher.blur(features.local_px, task.faces, local_mean, spare_grey);
  else
    launch(mean_kernel, LaunchShape{static_cast<unsigned>(task.faces), mean_threads}, stream, task.width,
           task.height, local_mean);
  launch(features_kernel, launcher.shape(task.faces), stream, features, bin_directions(features.bins),
         task.width, task.height, grey, local_mean, planes);
  launcher.blur(features.pool_px, task.faces * count, planes, spare);
}

std::int64_t prepare_scratch(const Crop& crop, const Features& features) {
  check_features(features);
  return scratch_floats(crop.width, crop.height, features);
}

void prepare_cuda(DeviceImageView<const Grey8> frame, const Crop& crop, const Features& features,
                  DeviceSpan<float> scratch, DeviceImageView<float> stacked, StreamRef stream) {
  check_crop(frame.width(), frame.height(), crop);
  require(scratch.size() >= prepare_scratch(crop, features), "a crop of ", crop.width, " x ", crop.height,
          " needs scratch of ", prepare_scratch(crop, features), " floats, not ", scratch.size());
  const int count = channels(features);
  require(stacked.width() == crop.width && stacked.height() == std::int64_t{crop.height} * count,
          "planes of ", stacked.width(), " x ", stacked.height(), " cannot take ", count, " of ", crop.width,
          " x ", crop.height);
  PrepareTask task;
  task.width = crop.width;
  task.height = crop.height;
  task.frame = {reinterpret_cast<const std::uint8_t*>(frame.data()), frame.pitch_bytes(),
                static_cast<std::int32_t>(frame.width()), static_cast<std::int32_t>(frame.height())};
  task.crop = crop;
  task.scratch = scratch.data();
  task.planes = stacked.data();
  task.pitch = stacked.pitch_bytes() / static_cast<std::int64_t>(sizeof(float));
  task.face = task.pitch * stacked.height();
  launch_prepare(task, features, stream);
}

}  // namespace triptych::aam_fit
