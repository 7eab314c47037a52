#include <triptych/capsule_likelihood/cloud.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;
using fuzz::only_errors;

void read(std::string_view text) {
  for (const double unit : {1.0, 0.001}) {
    only_errors([&] {
      const Cloud cloud = parse_cloud(text, "f", unit);
      for (const Vec3& point : cloud.points) demand(fuzz::is_finite(point), "points are finite");
      const Capsule capsule = {{0, 0, 1}, 0.2f, {0, 0.5f, 1}};
      fuzz::score({&capsule, 1}, cloud.points);
      subsample(cloud.points, 5);
    });
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::text_of(data, size));
  return 0;
}
