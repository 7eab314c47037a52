#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "body/io/body_parts.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

// "mixamorig:LeftUpLeg" -> "LeftUpLeg"
std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// Letters only, in lower case.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (is_letter(c)) text += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

bool has(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return name.find(word) != std::string::npos; });
}

// "Left...", "...Right", "LThumb", "lShldr", "thigh.L", "foot_r"
Side side_of(std::string_view full_name) {
  const std::string_view name = without_prefix(full_name);
  const std::string letters = plain(name);
  if (has(letters, {"left"})) return Side::left;
  if (has(letters, {"right"})) return Side::right;
  const auto by_letter = [](char c) {
    if (c == 'l' || c == 'L') return Side::left;
    return c == 'r' || c == 'R' ? Side::right : Side::none;
  };
  if (name.size() > 2) {
    const char before_last = name[name.size() - 2];
    if (before_last == '.' || before_last == '_' || before_last == '-') return by_letter(name.back());
    if (is_upper(name[1]) || name[1] == '_' || name[1] == '.') return by_letter(name[0]);
  }
  return Side::none;
}

Part part_by_name(const std::string& name, Side side) {
  if (has(name, {"thumb", "index", "middle", "ring", "pinky", "finger", "knuckle", "metacarp"}))
    return Part::finger;
  if (has(name, {"toe"})) return Part::toe;
  if (has(name, {"eye", "jaw", "tongue", "nub", "site"}) || name.ends_with("end")) return Part::tip;
  if (has(name, {"head", "skull"})) return Part::head;
  if (has(name, {"neck"})) return Part::neck;
  if (has(name, {"hipjoint"})) return Part::hip_joint;
  if (has(name, {"upleg", "upperleg", "thigh", "femur"})) return Part::thigh;
  if (has(name, {"hip", "pelvis"})) return side == Side::none ? Part::hips : Part::thigh;
  if (has(name, {"knee", "shin", "calf", "leg", "tibia"})) return Part::shin;
  if (has(name, {"ankle", "foot"})) return Part::foot;
  if (has(name, {"forearm", "lowerarm", "lowarm", "elbow"})) return Part::forearm;
  if (has(name, {"wrist", "hand", "palm"})) return Part::hand;
  if (has(name, {"collar", "clav"})) return Part::clavicle;
  if (has(name, {"shoulder", "shldr", "arm", "humerus"}))
    return side == Side::none ? Part::spine : Part::upper_arm;
  if (has(name, {"spine", "back", "chest", "abdomen", "torso", "waist", "thorax"})) return Part::spine;
  return Part::other;
}

// What a name alone does not tell: a "shoulder" above an arm is a collar bone; the hand below a wrist and the
// foot below an ankle are their ends.
void settle_by_neighbours(const Bvh& bvh, ZeroBody& body) {
  for (std::size_t i = 1; i < bvh.joints.size(); ++i) {
    const auto parent = static_cast<std::size_t>(bvh.joints[i].parent);
    Part& above = body.parts[parent];
    Part& here = body.parts[i];
    if (here == Part::upper_arm && above == Part::upper_arm) above = Part::clavicle;
    if (here == Part::hand && (above == Part::hand || above == Part::finger)) here = Part::finger;
    if (here == Part::foot && (above == Part::foot || above == Part::toe)) here = Part::toe;
  }
}

void find_directions(ZeroBody& body) {
  Vec left_sum, right_sum, top;
  bool left = false, right = false, upright = false;
  for (std::size_t i = 0; i < body.parts.size(); ++i) {
    if (body.parts[i] == Part::thigh || body.parts[i] == Part::upper_arm) {
      if (body.sides[i] == Side::left) left_sum = left_sum + body.positions[i], left = true;
      if (body.sides[i] == Side::right) right_sum = right_sum + body.positions[i], right = true;
    }
    if (body.parts[i] == Part::head) top = body.positions[i], upright = true;
  }
  const auto nearest_axis = [](const Vec& v) {
    const double x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
    if (x >= y && x >= z) return Vec(v.x > 0 ? 1 : -1, 0, 0);
    return y >= z ? Vec(0, v.y > 0 ? 1 : -1, 0) : Vec(0, 0, v.z > 0 ? 1 : -1);
  };
  if (upright && length(top - body.positions[0]) > 1e-9) body.up = nearest_axis(top - body.positions[0]);
  if (left && right && length(left_sum - right_sum) > 1e-9) body.left = nearest_axis(left_sum - right_sum);
  if (std::abs(dot(body.up, body.left)) > 0.5) {
    body.up = {0, 1, 0};
    body.left = {1, 0, 0};
  }
  body.front = cross(body.left, body.up);
}

}  // namespace

Vec ZeroBody::bone(int joint) const {
  std::vector<std::pair<int, Vec>> waiting = {{joint, Vec()}};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto [at, from] = waiting[i];
    const auto index = static_cast<std::size_t>(at);
    for (const int child : children[index]) {
      const Vec to = from + offsets[static_cast<std::size_t>(child)];
      if (length(to) > 1e-6 * size_m) return to;
      waiting.emplace_back(child, to);
    }
    for (const Vec& end : ends[index]) {
      if (length(from + end) > 1e-6 * size_m) return from + end;
    }
  }
  return {};
}

ZeroBody zero_body(const Bvh& bvh, double metres_per_unit) {
  ZeroBody body;
  const std::size_t count = bvh.joints.size();
  body.children.resize(count);
  body.ends.resize(count);
  Vec low, high;
  const auto include = [&](const Vec& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  };
  for (std::size_t i = 0; i < count; ++i) {
    const BvhJoint& joint = bvh.joints[i];
    body.sides.push_back(side_of(joint.name));
    const std::string name = plain(without_prefix(joint.name));
    body.parts.push_back(i == 0 ? Part::hips : part_by_name(name, body.sides[i]));
    body.offsets.push_back(metres_per_unit * Vec(joint.offset));
    if (i == 0) {
      body.positions.emplace_back();
    } else {
      const auto parent = static_cast<std::size_t>(joint.parent);
      body.positions.push_back(body.positions[parent] + body.offsets[i]);
      body.children[parent].push_back(static_cast<int>(i));
    }
    include(body.positions[i]);
    for (const auto& end : joint.end_sites) {
      body.ends[i].push_back(metres_per_unit * Vec(end));
      include(body.positions[i] + body.ends[i].back());
    }
  }
  body.size_m = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  settle_by_neighbours(bvh, body);
  find_directions(body);
  return body;
}

}  // namespace triptych::capsule_likelihood::detail
