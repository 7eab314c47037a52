#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/image_file.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;
using fuzz::only_errors;

void read(std::string_view text) {
  const auto check = [](const Cloud& cloud) {
    for (const Vec3& point : cloud.points) demand(fuzz::is_finite(point), "points are finite");
    const Capsule capsule = {{0, 0, 1}, 0.2f, {0, 0.5f, 1}};
    fuzz::score({&capsule, 1}, cloud.points);
  };
  only_errors([&] {
    const Image<std::uint16_t> image = parse_pgm(text, "f");
    check(cloud_from_depth(image.view(), {500, 500, 3, 2}));
  });
  only_errors([&] {
    const Image<float> image = parse_pfm(text, "f");
    check(cloud_from_disparity(image.view(), {{500, 500, 3, 2}, 1, 0.1}));
  });
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::text_of(data, size));
  return 0;
}
