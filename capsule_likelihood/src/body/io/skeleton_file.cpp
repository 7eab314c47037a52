// Reads and writes skeletons as JSON.
#include <triptych/capsule_likelihood/skeleton_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "body/io/json_reader.hpp"
#include "geometry/angle_units.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::JsonDocument;
using detail::JsonValue;

constexpr const char* axis_names[] = {"x", "y", "z"};

using Names = std::map<std::string, int, std::less<>>;

Axis read_axis(const JsonValue& value, const std::string& name) {
  for (int i = 0; i < 3; ++i) {
    if (name == axis_names[i]) return static_cast<Axis>(i);
  }
  value.fail("an axis is \"x\", \"y\" or \"z\", not " + shown(name));
}

Vec3 read_vector(const JsonValue& value) {
  const std::vector<double> v = value.numbers(3);
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

void read_limits(const JsonValue& value, Rotation& rotation) {
  const std::vector<double> limits = value.numbers(2);
  rotation.lower_rad = static_cast<float>(limits[0] / degrees_per_rad);
  rotation.upper_rad = static_cast<float>(limits[1] / degrees_per_rad);
  if (!(rotation.lower_rad <= rotation.upper_rad)) value.fail("the lower limit is above the upper one");
}

float read_radius(const JsonValue& value) {
  const double radius = value.number();
  if (!(radius >= 0)) value.fail("a radius or its scale cannot be negative");
  return static_cast<float>(radius);
}

int read_joint_name(const JsonValue& value, const Names& names) {
  const std::string name = value.text();
  const auto found = names.find(name);
  if (found == names.end()) value.fail("there is no joint " + shown(name) + " before this");
  return found->second;
}

Joint read_joint(const JsonValue& value, const Names& names) {
  value.expect_keys({"name", "parent", "offset_m", "rotations"});
  Joint joint;
  joint.name = value.at("name").text();
  if (joint.name.empty()) value.at("name").fail("a joint needs a name");
  if (names.contains(joint.name)) value.at("name").fail("the name stands twice");
  const JsonValue parent = value.at("parent");
  if (parent.is_null() != names.empty()) parent.fail("the first joint, and only that, has the parent null");
  joint.parent = parent.is_null() ? -1 : read_joint_name(parent, names);
  joint.offset_m = read_vector(value.at("offset_m"));
  for (const JsonValue& element : value.at("rotations").elements()) {
    element.expect_keys({"axis", "limits_deg"});
    Rotation rotation;
    rotation.axis = read_axis(element.at("axis"), element.at("axis").text());
    if (element.has("limits_deg")) read_limits(element.at("limits_deg"), rotation);
    joint.rotations.push_back(rotation);
  }
  if (joint.rotations.size() > 3) value.at("rotations").fail("a joint has at most three rotations");
  return joint;
}

std::vector<BodyCapsule> read_capsules(const JsonValue& list, const Names& names) {
  std::vector<BodyCapsule> body_capsules;
  for (const JsonValue& value : list.elements()) {
    value.expect_keys({"joint", "a_m", "b_m", "radius_m"});
    body_capsules.push_back(
        {read_joint_name(value.at("joint"), names),
         {read_vector(value.at("a_m")), read_radius(value.at("radius_m")), read_vector(value.at("b_m"))}});
  }
  return body_capsules;
}

// The double with the fewest digits that is read as this float.
double shortest(float value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  double number = value;
  std::from_chars(digits.data(), end, number);
  return number;
}

Json vector_json(const Vec3& v) { return Json::array({shortest(v.x), shortest(v.y), shortest(v.z)}); }

// A round number of degrees where that is read as the same float.
double in_degrees(float radians) {
  const double exact = radians * degrees_per_rad, rounded = std::round(exact * 1e4) / 1e4;
  return static_cast<float>(rounded / degrees_per_rad) == radians ? rounded : exact;
}

void adjust_joint(const JsonValue& value, Joint& joint, int index, std::vector<BodyCapsule>& body_capsules) {
  value.expect_keys({"limits_deg", "fixed_deg", "radius_m", "radius_scale"});
  const auto rotation_about = [&](const std::string& name, const JsonValue& at) -> Rotation& {
    const auto found = std::ranges::find(joint.rotations, read_axis(at, name), &Rotation::axis);
    if (found == joint.rotations.end()) at.fail("joint " + shown(joint.name) + " does not turn about it");
    return *found;
  };
  if (value.has("limits_deg")) {
    for (const auto& [name, limits] : value.at("limits_deg").members()) {
      read_limits(limits, rotation_about(name, limits));
    }
  }
  if (value.has("fixed_deg")) {
    for (const auto& [name, angle] : value.at("fixed_deg").members()) {
      Rotation& rotation = rotation_about(name, angle);
      rotation.lower_rad = rotation.upper_rad = static_cast<float>(angle.number() / degrees_per_rad);
    }
  }
  for (BodyCapsule& capsule : body_capsules) {
    if (capsule.joint != index) continue;
    if (value.has("radius_m")) capsule.capsule.radius_m = read_radius(value.at("radius_m"));
    if (value.has("radius_scale")) capsule.capsule.radius_m *= read_radius(value.at("radius_scale"));
  }
}

// What the constructor refuses is the file's.
Skeleton make_from_file(std::vector<Joint> joints, std::vector<BodyCapsule> body_capsules,
                        const std::string& file) {
  try {
    return {std::move(joints), std::move(body_capsules)};
  } catch (const InvalidArgument& error) {
    throw ParseError(file, 0, 0, error.what());
  }
}

}  // namespace

Skeleton parse_skeleton(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file);
  const JsonValue root = document.root();
  root.expect_keys({"joints", "capsules"});
  const JsonValue list = root.at("joints");
  std::vector<Joint> joints;
  Names names;
  for (const JsonValue& element : list.elements()) {
    if (joints.size() == Skeleton::max_joints) element.fail("too many joints");
    joints.push_back(read_joint(element, names));
    names.emplace(joints.back().name, static_cast<int>(joints.size()) - 1);
  }
  if (joints.empty()) list.fail("a skeleton needs at least one joint");
  return make_from_file(std::move(joints), read_capsules(root.at("capsules"), names), file);
}

Skeleton read_skeleton(const std::filesystem::path& path) {
  return parse_skeleton(read_text(path), path.string());
}

std::string to_json(const Skeleton& skeleton) {
  Names names;
  nlohmann::ordered_json joints = nlohmann::ordered_json::array();
  for (const Joint& joint : skeleton.joints()) {
    require(names.emplace(joint.name, 0).second, "two joints are called ", joint.name,
            ", which a skeleton file cannot hold");
    nlohmann::ordered_json to;
    to["name"] = joint.name;
    to["parent"] =
        joint.parent < 0
            ? nlohmann::ordered_json()
            : nlohmann::ordered_json(skeleton.joints()[static_cast<std::size_t>(joint.parent)].name);
    to["offset_m"] = vector_json(joint.offset_m);
    to["rotations"] = nlohmann::ordered_json::array();
    for (const Rotation& rotation : joint.rotations) {
      nlohmann::ordered_json turn;
      turn["axis"] = axis_names[static_cast<int>(rotation.axis)];
      turn["limits_deg"] = {in_degrees(rotation.lower_rad), in_degrees(rotation.upper_rad)};
      to["rotations"].push_back(std::move(turn));
    }
    joints.push_back(std::move(to));
  }
  nlohmann::ordered_json capsules = nlohmann::ordered_json::array();
  for (const BodyCapsule& body_capsule : skeleton.body_capsules()) {
    nlohmann::ordered_json to;
    to["joint"] = skeleton.joints()[static_cast<std::size_t>(body_capsule.joint)].name;
    to["a_m"] = vector_json(body_capsule.capsule.a);
    to["b_m"] = vector_json(body_capsule.capsule.b);
    to["radius_m"] = shortest(body_capsule.capsule.radius_m);
    capsules.push_back(std::move(to));
  }
  nlohmann::ordered_json root;
  root["joints"] = std::move(joints);
  root["capsules"] = std::move(capsules);
  try {
    return root.dump(1) + '\n';
  } catch (const Json::exception& error) {
    throw InvalidArgument(std::string("a joint's name cannot be written as JSON: ") + error.what());
  }
}

void write_skeleton(const std::filesystem::path& path, const Skeleton& skeleton) {
  write_file_atomically(path, to_json(skeleton));
}

Skeleton adjust_skeleton(const Skeleton& skeleton, std::string_view json, const std::string& file) {
  const JsonDocument document(json, file);
  const JsonValue root = document.root();
  root.expect_keys({"radius_scale", "joints", "capsules"});
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  std::vector<BodyCapsule> body_capsules(skeleton.body_capsules().begin(), skeleton.body_capsules().end());
  Names names;
  for (int i = 0; i < skeleton.joint_count(); ++i) {
    names.emplace(joints[static_cast<std::size_t>(i)].name, i);
  }
  if (root.has("capsules")) body_capsules = read_capsules(root.at("capsules"), names);
  if (root.has("joints")) {
    for (const auto& [name, value] : root.at("joints").members()) {
      const int index = skeleton.find(name);
      if (index < 0) value.fail("the skeleton has no joint of that name");
      adjust_joint(value, joints[static_cast<std::size_t>(index)], index, body_capsules);
    }
  }
  if (root.has("radius_scale")) {
    const float scale = read_radius(root.at("radius_scale"));
    for (BodyCapsule& capsule : body_capsules) capsule.capsule.radius_m *= scale;
  }
  return make_from_file(std::move(joints), std::move(body_capsules), file);
}

Skeleton adjust_skeleton(const Skeleton& skeleton, const std::filesystem::path& path) {
  return adjust_skeleton(skeleton, read_text(path), path.string());
}

}  // namespace triptych::capsule_likelihood
