// A level as kernels read it, and what they share: where samples come from, the landmarks of parameters.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/host_device.hpp>

#include <cstdint>

#include "fit/fit_math.hpp"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {

// The position and the channel of a sample: WarpPixel with the channel.
struct alignas(16) SampleWarp {
  std::uint16_t corners[3];
  std::uint16_t channel;  // no_channel: a column beyond the last sample, where x is 0
  float a, b;
};
constexpr std::uint16_t no_channel = 0xFFFF;

// Planes of one face, in elements.
struct PlanesOnDevice {
  const float* data = nullptr;
  std::int64_t plane = 0;  // from channel to channel
  std::int32_t pitch = 0;
  std::int32_t width = 0, height = 0;
};

// Device pointers. Rows of the matrix are slots: R, Qg, g0, then zeros; each has `padded` columns, zeros
// beyond the samples. Modes are padded with zeros where a stride is said to be mode_stride.
struct LevelOnDevice {
  const float* matrix = nullptr;  // slots x padded; null when halves are kept and nothing needs floats
  const std::uint16_t* halves = nullptr;      // the same; null for Storage::float32
  const float* scale = nullptr;               // slots: of the halves
  const SampleWarp* sample_warps = nullptr;   // padded
  const float* s0 = nullptr;                  // 2 points
  const float* Qs = nullptr;                  // 2 points x mode_stride
  const float* Ks = nullptr;                  // modes x 2 points
  const float* products = nullptr;            // (2 modes + 6) x mode_stride: R Qg', Qg Qg', Qg 1, Qg g0
  const float *R1 = nullptr, *Rg0 = nullptr;  // modes + 4
  double g0g0 = 0, sum_g0 = 0;
  double per_sample = 0;                                             // 1 / samples
  float g0g0_f = 0, per_g0g0_f = 0, sum_g0_f = 0, per_sample_f = 0;  // of those, for sums in float
  float sample_offset = 0;
  std::int32_t samples = 0, modes = 0, points = 0, slots = 0, mode_stride = 0;
  std::int64_t padded = 0;
  Normalisation normalisation = Normalisation::projection;
};

struct SampledColumn {
  float x;       // less sample_offset; 0 where there is no sample
  bool outside;  // set for the first channel alone: every pixel counts once
};

struct alignas(8) Landmark {
  float x, y;
};

// points: interleaved landmarks, 8-byte aligned; plane: that of the warp's channel. The sums are
// warp_point()'s.
TRIPTYCH_INLINE_HD Sampled sample_at(const float* plane, const PlanesOnDevice& planes, const SampleWarp& warp,
                                     const float* points) {
  const auto* landmarks = reinterpret_cast<const Landmark*>(points);
  const Landmark p = landmarks[warp.corners[0]], q = landmarks[warp.corners[1]],
                 r = landmarks[warp.corners[2]];
  const float c = 1.0f - warp.a - warp.b;
  return sample(plane, planes.width, planes.height, planes.pitch, warp.a * p.x + warp.b * q.x + c * r.x,
                warp.a * p.y + warp.b * q.y + c * r.y);
}
TRIPTYCH_INLINE_HD SampledColumn sample_column(const PlanesOnDevice& planes, float sample_offset,
                                               const SampleWarp& warp, const float* points) {
  if (warp.channel == no_channel) return {0.0f, false};
  const Sampled s = sample_at(planes.data + warp.channel * planes.plane, planes, warp, points);
  return {s.value - sample_offset, s.outside && warp.channel == 0};
}

// x or y of a landmark that lies at (x, y) in the model, by the pose (sx, sy, tx, ty).
TRIPTYCH_INLINE_HD float posed_x(float x, float y, const float* pose) {
  return fmaf(1.0f + pose[0], x, fmaf(-pose[1], y, pose[2]));
}
TRIPTYCH_INLINE_HD float posed_y(float x, float y, const float* pose) {
  return fmaf(pose[1], x, fmaf(1.0f + pose[0], y, pose[3]));
}

}  // namespace triptych::aam_fit
