#include <triptych/capsule_likelihood/bvh_skeleton.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;
using fuzz::only_errors;

void read(std::string_view text) {
  only_errors([&] {
    const Bvh bvh = parse_bvh(text, "f");
    demand(parse_bvh(to_text(bvh), "again") == bvh, "what is written is read");
    const Skeleton skeleton = make_skeleton(bvh);
    fuzz::use(skeleton);
    const Motion motion = poses_of(bvh, skeleton, guess_scale(bvh).metres_per_unit);
    for (const float x : motion.values) demand(std::isfinite(x), "poses are finite");
    to_bvh(skeleton, motion);
  });
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::text_of(data, size));
  return 0;
}
