#include <triptych/core/error.hpp>

#include <common/text.hpp>

#include <cmath>

#include "motion_file.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;

namespace {

constexpr double max_angle_deg = 36000, max_length = 1e6;

void check(double value, double limit, const char* unit, const std::filesystem::path& file,
           const BvhJoint& joint, const std::string& where) {
  if (std::abs(value) <= limit) return;
  throw Error(file.string() + ": the joint '" + joint.name +
              apps::text("' has %g %s %s, which no body can have: at most %g; correct the file", value, unit,
                         where.c_str(), limit));
}

}  // namespace

Bvh read_motion(const std::filesystem::path& file) {
  const Bvh bvh = read_bvh(file);
  for (const BvhJoint& joint : bvh.joints) {
    for (const double v : joint.offset) check(v, max_length, "units", file, joint, "as its offset");
    for (const auto& end : joint.end_sites) {
      for (const double v : end) check(v, max_length, "units", file, joint, "as the offset of its end");
    }
  }
  for (int f = 0; f < bvh.frame_count(); ++f) {
    const double* value = bvh.frame(f).data();
    for (const BvhJoint& joint : bvh.joints) {
      for (const BvhChannel channel : joint.channels) {
        const bool angle = is_rotation(channel);
        check(*value++, angle ? max_angle_deg : max_length, angle ? "degrees" : "units", file, joint,
              "in frame " + std::to_string(f));
      }
    }
  }
  return bvh;
}

}  // namespace triptych::capsule_demo
