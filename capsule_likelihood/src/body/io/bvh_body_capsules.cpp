// Capsules for the joints of a BVH file. Widths are shares of the body's size, as those of the built-in
// human.
#include <algorithm>
#include <cmath>
#include <optional>

#include "body/io/bvh_body.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

class BodyCapsuleBuilder {
 public:
  explicit BodyCapsuleBuilder(const ZeroBody& body) : body_(body), size_(body.size_m) {}

  std::vector<BodyCapsule> build() {
    add_pelvis();
    add_torso();
    for (int joint = 0; joint < static_cast<int>(body_.parts.size()); ++joint) add_limb(joint);
    return std::move(body_capsules_);
  }

 private:
  void add(int joint, const Vec& a, const Vec& b, double radius) {
    body_capsules_.push_back({joint, {a.to_float(), static_cast<float>(radius * size_), b.to_float()}});
  }
  void add_across(int joint, const Vec& middle, double half_width, double radius) {
    const Vec side = half_width * size_ * body_.left;
    add(joint, middle - side, middle + side, radius);
  }

  // The middle of the first two joints that are this part.
  std::optional<Vec> middle_of(Part part) const {
    std::vector<Vec> found;
    for (std::size_t i = 0; i < body_.parts.size() && found.size() < 2; ++i) {
      if (body_.parts[i] == part) found.push_back(body_.positions[i]);
    }
    if (found.size() < 2) return std::nullopt;
    return 0.5 * (found[0] + found[1]);
  }

  void add_pelvis() {
    const std::optional<Vec> thighs = middle_of(Part::thigh);
    if (!thighs) return;
    const Vec middle = *thighs - body_.positions[0];
    add_across(0, middle - 0.030 * size_ * body_.up - 0.010 * size_ * body_.front, 0.042, 0.052);
    add_across(0, middle + 0.005 * size_ * body_.up, 0.045, 0.056);
    add_across(0, middle + 0.040 * size_ * body_.up, 0.038, 0.054);
  }

  // Capsules from side to side, at even heights from the waist to below the shoulders, each on the spine's
  // joint below it.
  void add_torso() {
    std::vector<int> spine = {0};
    for (int i = 1; i < static_cast<int>(body_.parts.size()); ++i) {
      if (body_.parts[static_cast<std::size_t>(i)] == Part::spine) spine.push_back(i);
    }
    const Vec top =
        middle_of(Part::upper_arm).value_or(body_.positions[static_cast<std::size_t>(spine.back())]);
    const std::optional<Vec> thighs = middle_of(Part::thigh);
    // From where the pelvis ends.
    const double waist = thighs ? body_.height(*thighs) + 0.066 * size_ : 0.0, shoulders = body_.height(top);
    const double rise = shoulders - waist;
    if (rise <= 0) return;
    const int steps = std::max(1, static_cast<int>(std::ceil(rise / (0.052 * size_))));
    for (int step = 0; step < steps; ++step) {
      const double share = (step + 0.5) / steps;
      const double height = waist + share * rise;
      int below = 0;
      for (const int joint : spine) {
        if (body_.height(body_.positions[static_cast<std::size_t>(joint)]) <= height + 1e-9) below = joint;
      }
      const Vec position = along_spine(spine, height);
      // Narrow at the waist, wide at the chest, flat at the shoulders.
      add_across(below, position - body_.positions[static_cast<std::size_t>(below)], 0.034 + 0.026 * share,
                 share < 0.8 ? 0.053 + 0.005 * share : 0.045);
    }
  }

  // The spine's middle at a height.
  Vec along_spine(const std::vector<int>& spine, double height) const {
    Vec position = body_.positions[static_cast<std::size_t>(spine.front())];
    for (const int joint : spine) {
      const Vec& next = body_.positions[static_cast<std::size_t>(joint)];
      if (body_.height(next) <= height + 1e-9) position = next;
    }
    return position + (height - body_.height(position)) * body_.up;
  }

  // Capsules along a bone, one for each radius.
  void add_along(int joint, const Vec& bone, std::initializer_list<double> radii) {
    const double part = 1.0 / static_cast<double>(radii.size());
    double begin = 0;
    for (const double radius : radii) {
      add(joint, begin * bone, (begin + part) * bone, radius);
      begin += part;
    }
  }

  void add_head(int joint, const Vec& bone) {
    const double l = std::max(length(bone), 0.06 * size_);
    const Vec top = l * unit_or(bone, body_.up);
    const double share = std::max(0.3, 1 - 0.05 * size_ / l);
    add(joint, 0.3 * top, share * top, 0.050);
    add(joint, 0.1 * top + 0.014 * size_ * body_.front, 0.4 * top + 0.022 * size_ * body_.front, 0.042);
  }

  // The palm, and the fingers up to the farthest tip.
  void add_hand(int joint, const Vec& bone) {
    Vec tip = bone;
    std::vector<std::pair<int, Vec>> waiting = {{joint, Vec()}};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const auto [at, from] = waiting[i];
      const auto index = static_cast<std::size_t>(at);
      if (length(from) > length(tip)) tip = from;
      for (const Vec& end : body_.ends[index]) {
        if (length(from + end) > length(tip)) tip = from + end;
      }
      for (const int child : body_.children[index]) {
        waiting.emplace_back(child, from + body_.offsets[static_cast<std::size_t>(child)]);
      }
    }
    const double l = std::max(length(tip), 0.03 * size_);
    const Vec reach = l * unit_or(tip, Vec());
    if (length(reach) == 0) return;
    add(joint, 0.15 * reach, 0.55 * reach, 0.021);
    add(joint, 0.55 * reach, reach, 0.013);
  }

  void add_foot(int joint, const Vec& bone) {
    const Vec heel = -0.018 * size_ * body_.front + 0.6 * dot(bone, body_.up) * body_.up;
    add(joint, heel, 0.45 * bone, 0.0205);
    add(joint, 0.45 * bone, bone, 0.0175);
  }

  // What has no name: a capsule along the bone to each child and end.
  void add_thin_bones(int joint) {
    const auto index = static_cast<std::size_t>(joint);
    std::vector<Vec> bones = body_.ends[index];
    for (const int child : body_.children[index])
      bones.push_back(body_.offsets[static_cast<std::size_t>(child)]);
    for (const Vec& bone : bones) {
      if (length(bone) <= 1e-6 * size_) continue;
      add_along(joint, bone, {std::clamp(0.15 * length(bone) / size_, 0.012, 0.04)});
    }
  }

  void add_limb(int joint) {
    const Part part = body_.parts[static_cast<std::size_t>(joint)];
    const Vec bone = body_.bone(joint);
    const bool has_bone = length(bone) > 1e-6 * size_;
    switch (part) {
      case Part::thigh:
        if (has_bone) add_along(joint, bone, {0.050, 0.042, 0.034});
        break;
      case Part::shin:
        if (has_bone) add_along(joint, bone, {0.031, 0.0225});
        break;
      case Part::foot:
        if (has_bone) add_foot(joint, bone);
        break;
      case Part::toe:
        if (has_bone) add_along(joint, bone, {0.0165});
        break;
      case Part::neck:
        if (has_bone) add_along(joint, bone, {0.033});
        break;
      case Part::head:
        add_head(joint, bone);
        break;
      case Part::clavicle:
        if (has_bone) add(joint, 0.3 * bone, 0.95 * bone, 0.034);
        break;
      case Part::upper_arm:
        if (has_bone) add_along(joint, bone, {0.030, 0.025});
        break;
      case Part::forearm:
        if (has_bone) add_along(joint, bone, {0.024, 0.0185});
        break;
      case Part::hand:
        add_hand(joint, bone);
        break;
      case Part::other:
        add_thin_bones(joint);
        break;
      case Part::hips:
        if (!middle_of(Part::thigh)) add_thin_bones(joint);
        break;
      case Part::hip_joint:
      case Part::spine:
      case Part::finger:
      case Part::tip:
        break;
    }
  }

  const ZeroBody& body_;
  double size_;
  std::vector<BodyCapsule> body_capsules_;
};

}  // namespace

std::vector<BodyCapsule> make_body_capsules(const ZeroBody& body) { return BodyCapsuleBuilder(body).build(); }

}  // namespace triptych::capsule_likelihood::detail
