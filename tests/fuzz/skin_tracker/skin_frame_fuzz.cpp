// Frames of any format, size, pitch and region: moments, calibration and tracking. Sixteen bytes describe the
// frame, the others are its pixels, repeated.
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

using namespace triptych;
using namespace triptych::skin_tracker;

constexpr std::size_t header_bytes = 16;

// From -128 to 127.
int signed_byte(std::uint8_t byte) { return static_cast<int>(byte) - 128; }

void follow(Tracker tracker, const Frame& frame) {
  for (int k = 0; k < 3; ++k) {
    const TrackedHead head = tracker.step(frame);
    if (!std::isfinite(head.x_px) || !std::isfinite(head.y_px) || !std::isfinite(head.distance_m))
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= header_bytes) return 0;
  const auto format = static_cast<FrameFormat>(data[0] % 7);  // six formats, and one that does not exist
  const int width = data[1], height = data[2] % 128;
  fuzz::only_errors([&] {
    const std::int64_t pitch = std::int64_t{width} * bytes_per_pixel(format) + data[3] % 8 - 1;
    const std::int64_t chroma_pitch = width + data[3] / 32 - 1;
    const bool two = format == FrameFormat::nv12;
    // Exactly the bytes of the frame: the last row has no padding.
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(std::max<std::int64_t>(
        0, pitch * std::max(0, height - 1) + std::int64_t{width} * bytes_per_pixel(format))));
    std::vector<std::uint8_t> chroma(two ? static_cast<std::size_t>(chroma_pitch + 2) * 64 : 0);
    const auto fill = [&](std::vector<std::uint8_t>& plane) {
      for (std::size_t i = 0; i < plane.size(); ++i)
        plane[i] = data[header_bytes + i % (size - header_bytes)];
    };
    fill(pixels);
    fill(chroma);
    const Frame frame(format, pixels.data(), width, height, pitch, two ? chroma.data() : nullptr,
                      two ? chroma_pitch : 0);
    const LinearFilter filter{signed_byte(data[4]) / 2000.0, signed_byte(data[5]) / 2000.0,
                              signed_byte(data[6]) / 2000.0, signed_byte(data[7]) / 50.0};
    const Moments whole = moments_cpu(frame, frame.whole(), filter, 1);
    const int upper = height / 3;
    const Moments parts = moments_cpu(frame, {0, 0, width, upper}, filter, 1) +
                          moments_cpu(frame, {0, upper, width, height - upper}, filter, 2);
    if (whole != parts) std::abort();
    fuzz::only_errors([&] {
      const PixelBox region{signed_byte(data[8]), signed_byte(data[9]), data[10], data[11]};
      static_cast<void>(head_of(moments_cpu(frame, region, filter, 1), width, height));
    });
    const Box face{signed_byte(data[12]) + 0.5, double(signed_byte(data[13])), data[14] * 1.5,
                   double(data[15])};
    TrackerOptions options;
    options.smooth = data[9] % 2 == 1;
    if (data[8] % 32 == 3)  // few: it takes long
      return follow(Tracker::from_box(frame, face, options, Device::cpu(1)), frame);
    const Calibration calibration{filter, 1, 0, 0.1, {1, {0, 0, 0, 0, 0.5f, 0, 1, 1}}};
    follow(Tracker(filter, options_for_face(calibration, face, width, height, options), Device::cpu(1)),
           frame);
  });
  return 0;
}
