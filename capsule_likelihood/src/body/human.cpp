// The built-in human. Lengths are shares of the height, after the usual tables of body segments (hip joint at
// 0.53 of the height, knee at 0.285, ankle at 0.039, shoulder at 0.818; upper arm 0.186, forearm 0.146, hand
// 0.108); limits are those of a supple person.
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>

namespace triptych::capsule_likelihood {

namespace {

Rotation turn(Axis axis, float lower_deg, float upper_deg) {
  constexpr float rad = std::numbers::pi_v<float> / 180.0f;
  return {axis, lower_deg * rad, upper_deg * rad};
}

class Builder {
 public:
  explicit Builder(float height_m) : height_m_(height_m) {}

  int joint(std::string name, int parent, Vec3 offset, std::vector<Rotation> rotations) {
    joints_.push_back({std::move(name), parent, scaled(offset), std::move(rotations)});
    return static_cast<int>(joints_.size()) - 1;
  }
  void capsule(int joint, Vec3 a, Vec3 b, float radius) {
    body_capsules_.push_back({joint, {scaled(a), radius * height_m_, scaled(b)}});
  }
  // Mirrored: from -x to x.
  void across(int joint, float x, float y, float z, float radius) {
    capsule(joint, {-x, y, z}, {x, y, z}, radius);
  }
  Skeleton build() { return {std::move(joints_), std::move(body_capsules_)}; }

 private:
  Vec3 scaled(Vec3 v) const { return {v.x * height_m_, v.y * height_m_, v.z * height_m_}; }

  float height_m_;
  std::vector<Joint> joints_;
  std::vector<BodyCapsule> body_capsules_;
};

// A rotation that is mirrored between the sides: given for the right, at +x.
Rotation sided(float side, Axis axis, float lower_deg, float upper_deg) {
  return side > 0 ? turn(axis, lower_deg, upper_deg) : turn(axis, -upper_deg, -lower_deg);
}

void add_arm(Builder& body, int chest, float side, const std::string& name) {
  const int clavicle = body.joint(name + "_clavicle", chest, {side * 0.015f, 0.125f, 0},
                                  {sided(side, Axis::z, -10, 25), sided(side, Axis::y, -15, 25)});
  const int upper =
      body.joint(name + "_upper_arm", clavicle, {side * 0.095f, 0, 0.003f},
                 {turn(Axis::x, -70, 190), sided(side, Axis::z, -45, 170), sided(side, Axis::y, -100, 100)});
  const int lower = body.joint(name + "_forearm", upper, {0, -0.186f, 0}, {turn(Axis::x, -5, 155)});
  const int hand = body.joint(name + "_hand", lower, {0, -0.146f, 0},
                              {turn(Axis::x, -70, 70), sided(side, Axis::z, -40, 40)});
  body.joint(name + "_fingers", hand, {0, -0.055f, 0}, {});
  body.capsule(clavicle, {side * 0.02f, -0.005f, 0}, {side * 0.085f, -0.008f, 0.003f}, 0.032f);
  body.capsule(upper, {0, -0.005f, 0}, {0, -0.090f, 0}, 0.030f);
  body.capsule(upper, {0, -0.090f, 0}, {0, -0.186f, 0}, 0.025f);
  body.capsule(lower, {0, 0, 0}, {0, -0.070f, 0}, 0.024f);
  body.capsule(lower, {0, -0.070f, 0}, {0, -0.146f, 0}, 0.0185f);
  body.capsule(hand, {0, -0.012f, 0}, {0, -0.050f, 0}, 0.021f);
  body.capsule(hand, {0, -0.050f, 0}, {0, -0.095f, 0}, 0.013f);
}

void add_leg(Builder& body, int hips, float side, const std::string& name) {
  const int thigh =
      body.joint(name + "_thigh", hips, {side * 0.052f, 0, 0},
                 {turn(Axis::x, -45, 130), sided(side, Axis::z, -35, 60), sided(side, Axis::y, -50, 50)});
  const int shin = body.joint(name + "_shin", thigh, {0, -0.245f, 0}, {turn(Axis::x, -155, 5)});
  const int foot = body.joint(name + "_foot", shin, {0, -0.246f, 0},
                              {turn(Axis::x, -55, 40), sided(side, Axis::z, -35, 35)});
  body.joint(name + "_toes", foot, {0, -0.026f, -0.085f}, {});
  body.capsule(thigh, {0, -0.030f, 0}, {0, -0.090f, -0.003f}, 0.050f);
  body.capsule(thigh, {0, -0.090f, -0.003f}, {0, -0.165f, 0}, 0.042f);
  body.capsule(thigh, {0, -0.165f, 0}, {0, -0.245f, 0}, 0.034f);
  body.capsule(shin, {0, -0.010f, 0.002f}, {0, -0.110f, 0.008f}, 0.031f);
  body.capsule(shin, {0, -0.110f, 0.004f}, {0, -0.235f, 0}, 0.0225f);
  body.capsule(foot, {0, -0.018f, 0.018f}, {0, -0.020f, -0.040f}, 0.0205f);
  body.capsule(foot, {0, -0.022f, -0.040f}, {0, -0.0225f, -0.105f}, 0.0165f);
}

// Stretches what hangs on a joint, capsules included, by factors across (x) and along (y) the body.
void stretch(std::vector<Joint>& joints, std::vector<BodyCapsule>& body_capsules, const std::string& name,
             float across, float along) {
  const auto found = std::ranges::find(joints, name, &Joint::name);
  const auto index = static_cast<int>(found - joints.begin());
  for (Joint& joint : joints) {
    if (joint.parent != index) continue;
    joint.offset_m.x *= across;
    joint.offset_m.y *= along;
  }
  for (BodyCapsule& capsule : body_capsules) {
    if (capsule.joint != index) continue;
    for (Vec3* end : {&capsule.capsule.a, &capsule.capsule.b}) {
      end->x *= across;
      end->y *= along;
    }
  }
}

}  // namespace

Skeleton make_human(const HumanShape& shape) {
  const Skeleton usual = make_human(shape.height_m);
  for (const float factor : {shape.thigh, shape.shin, shape.upper_arm, shape.forearm, shape.torso,
                             shape.shoulders, shape.hips, shape.girth}) {
    require(factor >= 0.3f && factor <= 3.0f, "a factor of ", factor,
            " in a human's shape is out of range: 0.3 to 3 are possible");
  }
  std::vector<Joint> joints(usual.joints().begin(), usual.joints().end());
  std::vector<BodyCapsule> body_capsules(usual.body_capsules().begin(), usual.body_capsules().end());
  stretch(joints, body_capsules, "hips", shape.hips, shape.torso);
  stretch(joints, body_capsules, "spine", 0.5f * (shape.hips + shape.shoulders), shape.torso);
  stretch(joints, body_capsules, "chest", shape.shoulders, shape.torso);
  for (const std::string side : {"left", "right"}) {
    stretch(joints, body_capsules, side + "_clavicle", shape.shoulders, 1);
    stretch(joints, body_capsules, side + "_upper_arm", 1, shape.upper_arm);
    stretch(joints, body_capsules, side + "_forearm", 1, shape.forearm);
    stretch(joints, body_capsules, side + "_thigh", 1, shape.thigh);
    stretch(joints, body_capsules, side + "_shin", 1, shape.shin);
  }
  for (BodyCapsule& capsule : body_capsules) capsule.capsule.radius_m *= shape.girth;
  return {std::move(joints), std::move(body_capsules)};
}

Skeleton make_human(float height_m) {
  require(height_m >= 0.3f && height_m <= 3.0f, "a human of ", height_m,
          " m is out of range: 0.3 to 3 m are possible");
  Builder body(height_m);
  // Turning on the spot, about y, comes first: the file's middle angle then stays small.
  const int hips =
      body.joint("hips", -1, {}, {{Axis::y, -3.2f, 3.2f}, {Axis::x, -3.2f, 3.2f}, {Axis::z, -3.2f, 3.2f}});
  const int spine = body.joint("spine", hips, {0, 0.050f, 0.008f},
                               {turn(Axis::x, -60, 30), turn(Axis::z, -30, 30), turn(Axis::y, -35, 35)});
  const int chest = body.joint("chest", spine, {0, 0.105f, 0},
                               {turn(Axis::x, -45, 25), turn(Axis::z, -25, 25), turn(Axis::y, -35, 35)});
  const int neck = body.joint("neck", chest, {0, 0.145f, 0.005f},
                              {turn(Axis::x, -50, 45), turn(Axis::z, -40, 40), turn(Axis::y, -75, 75)});
  const int head = body.joint("head", neck, {0, 0.060f, -0.012f}, {turn(Axis::x, -35, 30)});
  body.joint("head_top", head, {0, 0.110f, 0}, {});

  body.across(hips, 0.042f, -0.030f, 0.012f, 0.052f);
  body.across(hips, 0.045f, 0.005f, 0.004f, 0.056f);
  body.across(hips, 0.037f, 0.045f, 0.002f, 0.054f);
  body.across(spine, 0.035f, 0.045f, -0.006f, 0.053f);
  body.across(spine, 0.042f, 0.095f, -0.006f, 0.055f);
  body.across(chest, 0.048f, 0.040f, -0.004f, 0.058f);
  body.across(chest, 0.055f, 0.085f, 0, 0.055f);
  body.across(chest, 0.060f, 0.115f, 0.004f, 0.040f);
  body.capsule(neck, {0, -0.010f, 0.004f}, {0, 0.050f, -0.008f}, 0.033f);
  body.capsule(head, {0, 0.005f, -0.014f}, {0, 0.020f, -0.026f}, 0.040f);
  body.capsule(head, {0, 0.060f, 0.016f}, {0, 0.060f, -0.014f}, 0.050f);
  body.capsule(head, {0, 0.035f, 0.006f}, {0, 0.050f, -0.010f}, 0.044f);

  for (const float side : {-1.0f, 1.0f}) add_arm(body, chest, side, side < 0 ? "left" : "right");
  for (const float side : {-1.0f, 1.0f}) add_leg(body, hips, side, side < 0 ? "left" : "right");
  return body.build();
}

}  // namespace triptych::capsule_likelihood
