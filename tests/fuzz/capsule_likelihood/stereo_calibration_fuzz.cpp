#include <triptych/capsule_likelihood/cloud.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;
using fuzz::only_errors;

void read(std::string_view text) {
  only_errors([&] {
    const StereoCalibration calibration = parse_calibration(text, "f");
    const float disparity[] = {1e-40f, 1e-3f, 1, 60, 1e30f, -1};
    const Cloud cloud = cloud_from_disparity({disparity, 3, 2}, calibration);
    demand(cloud.points.size() + static_cast<std::size_t>(cloud.dropped) == 6, "every pixel counts");
    for (const Vec3& point : cloud.points) demand(fuzz::is_finite(point), "points are finite");
  });
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::text_of(data, size));
  return 0;
}
