// Joint limits for the joints of a BVH file. A file's axes are rarely the body's (a thigh may hang aslant in
// the zero pose, an elbow bend about two axes at once), so the limits of shoulders, elbows, hips and knees
// are the ranges of angles that the movements of a supple person take in the file's axes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "body/io/bvh_body.hpp"
#include "geometry/angle_units.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

constexpr double margin = 10 * rad_per_degree;
constexpr double most = 200 * rad_per_degree;  // beyond half a turn: an angle there need not jump

void set_all(std::vector<Rotation>& rotations, double limit) {
  for (Rotation& rotation : rotations) {
    rotation.lower_rad = static_cast<float>(-limit);
    rotation.upper_rad = static_cast<float>(limit);
  }
}

// The box around the angles of sampled rotations.
class Box {
 public:
  explicit Box(const std::vector<Rotation>& rotations)
      : axes_{rotations[0].axis, rotations[1].axis, rotations[2].axis} {}

  void include(const Rot& rotation) {
    const std::array<double, 3> angles = angles_of(rotation, axes_);
    for (std::size_t i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], angles[i]);
      high_[i] = std::max(high_[i], angles[i]);
    }
  }

  void store(std::vector<Rotation>& rotations) const {
    for (std::size_t i = 0; i < 3; ++i) {
      rotations[i].lower_rad = static_cast<float>(std::max(low_[i] - margin, -most));
      rotations[i].upper_rad = static_cast<float>(std::min(high_[i] + margin, most));
    }
  }

 private:
  std::array<Axis, 3> axes_;
  std::array<double, 3> low_ = {}, high_ = {};
};

// Calls with steps from low to high, both included.
template <class F>
void sweep(double low_deg, double high_deg, int steps, F&& call) {
  for (int i = 0; i <= steps; ++i) call((low_deg + (high_deg - low_deg) * i / steps) * rad_per_degree);
}

// A hinge that bends the bone towards a direction. Where its axis lies around the bone is a matter of how the
// file twists the limb above: around_deg to either side.
void set_hinge(const Vec& bone, const Vec& towards, double around_deg, std::vector<Rotation>& rotations) {
  const Vec along = unit_or(bone, {0, -1, 0});
  const Vec axis = unit_or(cross(along, towards), {1, 0, 0});
  Box box(rotations);
  sweep(-around_deg, around_deg, 10, [&](double around) {
    const Vec hinge = rotation_about(along, around) * axis;
    sweep(-10, 150, 32, [&](double bend) {
      sweep(-30, 30, 4,
            [&](double twist) { box.include(rotation_about(hinge, bend) * rotation_about(along, twist)); });
    });
  });
  box.store(rotations);
}

void set_hip(const ZeroBody& body, Side side, const Vec& bone, std::vector<Rotation>& rotations) {
  const Vec along = unit_or(bone, {0, -1, 0});
  // From the file's zero pose the leg first comes to hang straight down.
  const Rot straight = rotation_between(along, -1.0 * body.up);
  Box box(rotations);
  box.include(identity);
  sweep(-40, 120, 32, [&](double flex) {
    // Down rotates to the front about -left, and out to the side about the front.
    const Rot forwards = rotation_about(-1.0 * body.left, flex);
    sweep(-30, 50, 8, [&](double out) {
      const Rot outwards = rotation_about(side == Side::right ? -1.0 * body.front : body.front, out);
      sweep(-45, 45, 6, [&](double twist) {
        box.include(forwards * outwards * straight * rotation_about(along, twist));
      });
    });
  });
  box.store(rotations);
}

void set_shoulder(std::vector<Rotation>& rotations) {
  set_all(rotations, most);
  rotations[1].lower_rad = static_cast<float>(-100 * rad_per_degree);
  rotations[1].upper_rad = static_cast<float>(100 * rad_per_degree);
}

bool has_three_axes(const std::vector<Rotation>& rotations) {
  return rotations.size() == 3 && rotations[0].axis != rotations[1].axis &&
         rotations[1].axis != rotations[2].axis && rotations[0].axis != rotations[2].axis;
}

}  // namespace

void set_limits(const ZeroBody& body, int joint, std::vector<Rotation>& rotations) {
  const auto index = static_cast<std::size_t>(joint);
  const Vec bone = body.bone(joint);
  switch (body.parts[index]) {
    case Part::spine:
    case Part::head:
      return set_all(rotations, 50 * rad_per_degree);
    case Part::neck:
    case Part::foot:
      return set_all(rotations, 60 * rad_per_degree);
    case Part::clavicle:
      return set_all(rotations, 35 * rad_per_degree);
    case Part::hand:
      return set_all(rotations, 90 * rad_per_degree);
    case Part::hip_joint:
      return set_all(rotations, 20 * rad_per_degree);
    case Part::toe:
      return set_all(rotations, 60 * rad_per_degree);
    case Part::finger:
      return set_all(rotations, 100 * rad_per_degree);
    case Part::tip:
      return set_all(rotations, 45 * rad_per_degree);
    case Part::hips:
    case Part::other:
      return set_all(rotations, std::numbers::pi);
    case Part::thigh:
    case Part::shin:
    case Part::upper_arm:
    case Part::forearm:
      break;
  }
  if (!has_three_axes(rotations)) return set_all(rotations, 160 * rad_per_degree);
  if (body.parts[index] == Part::thigh) return set_hip(body, body.sides[index], bone, rotations);
  if (body.parts[index] == Part::shin) return set_hinge(bone, -1.0 * body.front, 20, rotations);
  if (body.parts[index] == Part::forearm) return set_hinge(bone, body.front, 45, rotations);
  set_shoulder(rotations);
}

bool is_fixed_by_default(const ZeroBody& body, int joint) {
  const auto index = static_cast<std::size_t>(joint);
  switch (body.parts[index]) {
    case Part::finger:
    case Part::toe:
    case Part::tip:
      return true;
    case Part::hip_joint:
    case Part::clavicle:
      return length(body.offsets[index]) <= 1e-6 * body.size_m;
    default:
      return false;
  }
}

}  // namespace triptych::capsule_likelihood::detail
