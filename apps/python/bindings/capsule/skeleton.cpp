// Skeleton, human(), and the JSON files of skeletons.
#include <triptych/capsule_likelihood/skeleton_file.hpp>
#include <triptych/core/device_guard.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>

#include "../compute.hpp"
#include "capsule.hpp"
#include "kinematics.hpp"
#include "parts.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

// The number of a joint, from a number (negative: from the end) or a name.
int joint_number(const Body& self, nb::handle which) {
  std::string name;
  if (nb::try_cast(which, name)) {
    const int found = self.find(name);
    if (found < 0) throw nb::key_error(("no joint is called '" + name + "'").c_str());
    return found;
  }
  int number = 0;
  if (!nb::try_cast(which, number))
    throw InvalidArgument("joint: expected a number or a name, not a " + type_text(which));
  if (number < 0) number += self.joint_count();
  if (number < 0 || number >= self.joint_count()) throw nb::index_error("no joint has that number");
  return number;
}

nb::object limits(const Body& self) {
  std::vector<float> values;
  for (std::size_t j = 1; j < self.cl::Skeleton::joints().size(); ++j)
    for (const cl::Rotation& rotation : self.cl::Skeleton::joints()[j].rotations)
      values.insert(values.end(), {rotation.lower_rad, rotation.upper_rad});
  const std::size_t count = values.size() / 2;
  return to_numpy(std::move(values), {count, 2});
}

// Changes as JSON: a text, or a dict.
std::string json_of(nb::handle changes) {
  if (nb::isinstance<nb::str>(changes)) return nb::cast<std::string>(changes);
  if (!nb::isinstance<nb::dict>(changes))
    throw InvalidArgument("changes: expected a dict or JSON text, not a " + type_text(changes));
  return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(changes));
}

void bind_files(nb::class_<Body>& type) {
  type.def_static(
          "load",
          [](const std::filesystem::path& path) {
            return Body(compute([&] { return cl::read_skeleton(path); }));
          },
          nb::arg("path"), "Reads a JSON file. ParseError with the line and the reason.")
      .def_static(
          "from_json", [](std::string_view text) { return Body(cl::parse_skeleton(text, "json")); },
          nb::arg("text"),
          "Reads JSON text, as to_json() writes it. ParseError with the line and the reason.")
      .def(
          "save",
          [](const Body& self, const std::filesystem::path& path) {
            compute([&] { cl::write_skeleton(path, self); });
          },
          nb::arg("path"),
          "Writes a JSON file, from which load() reads the same bits. Two joints of one name: "
          "InvalidArgument.")
      .def(
          "to_json", [](const Body& self) { return cl::to_json(self); },
          "The skeleton as JSON text. Two joints of one name: InvalidArgument.")
      .def(
          "adjust",
          [](const Body& self, Anything changes) {
            return Body(cl::adjust_skeleton(self, json_of(changes), "changes"));
          },
          nb::arg("changes"), nb::sig("def adjust(self, changes: dict | str) -> Skeleton"),
          "A skeleton with other radii and limits.\n"
          "\n"
          "changes: a dict or JSON text, all keys of which may be left out:\n"
          "  radius_scale: factor of all radii\n"
          "  joints: {name: {\"limits_deg\": {\"x\": [-5, 150]}, \"fixed_deg\": {\"y\": 0}, \"radius_m\": "
          "0.05, \"radius_scale\": 0.9}}\n"
          "  capsules: [{\"joint\": name, \"a_m\": [..], \"b_m\": [..], \"radius_m\": r}], instead of all "
          "others ParseError for unknown keys, joints and rotations.")
      .def(
          "adjust_from",
          [](const Body& self, const std::filesystem::path& path) {
            return Body(compute([&] { return cl::adjust_skeleton(self, path); }));
          },
          nb::arg("path"), "As adjust(), with the changes in a JSON file.");
}

}  // namespace

const cl::DeviceSkeleton& Body::on_gpu(int ordinal) const {
  const std::lock_guard lock(copies_->mutex);
  auto at = copies_->by_gpu.find(ordinal);
  if (at == copies_->by_gpu.end()) {
    const DeviceGuard guard(ordinal);
    at = copies_->by_gpu.emplace(ordinal, cl::DeviceSkeleton(*this)).first;
  }
  return at->second;
}

bool same(const cl::Skeleton& a, const cl::Skeleton& b) {
  const auto equal = [](const auto& x, const auto& y) { return same(x, y); };
  return std::ranges::equal(a.joints(), b.joints(), equal) &&
         std::ranges::equal(a.body_capsules(), b.body_capsules(), equal);
}

void bind_skeleton(nb::module_& m) {
  auto type = nb::class_<Body>(
      m, "Skeleton",
      "A tree of rigid bones with up to three rotations at each joint and a free root, with\n"
      "capsules on its joints.\n"
      "\n"
      "A pose is (pose_size,) float32: the root's position (3, metres), its orientation as a\n"
      "quaternion w x y z (4; normalised when used), then the angles of all other joints in\n"
      "radians, joint by joint, rotation by rotation. A capsule is 7 float32: one end (3), the\n"
      "radius, the other end (3).\n"
      "len() is the number of joints; skeleton[3] and skeleton[\"head\"] are a Joint. It cannot be\n"
      "changed.");
  type.def(
          "__init__",
          [](Body* self, Anything joints, Anything capsules) {
            new (self)
                Body(cl::Skeleton(joints_of(joints, "joints"), body_capsules_of(capsules, "capsules")));
          },
          nb::arg("joints"), nb::arg("capsules"),
          nb::sig("def __init__(self, joints: collections.abc.Iterable[Joint | tuple | dict], capsules: "
                  "collections.abc.Iterable[BodyCapsule | tuple | dict]) -> None"),
          "joints: Joints, parents first. capsules: BodyCapsules. A tuple or a dict stands for the\n"
          "arguments of their constructors.\n"
          "InvalidArgument, naming the joint, when it is no tree, for lengths beyond 1000 m, limits the\n"
          "wrong way round, and for more than 384 joints.")
      .def("__len__", &Body::joint_count)
      .def(
          "__getitem__",
          [](const Body& self, Anything joint) {
            return self.cl::Skeleton::joints()[static_cast<std::size_t>(joint_number(self, joint))];
          },
          nb::arg("joint"), nb::sig("def __getitem__(self, joint: int | str) -> Joint"))
      .def_prop_ro(
          "joint_names",
          [](const Body& self) {
            std::vector<std::string> names;
            for (const cl::Joint& joint : self.cl::Skeleton::joints()) names.push_back(joint.name);
            return names;
          },
          "The names of the joints, in order.")
      .def_prop_ro(
          "parents",
          [](const Body& self) {
            std::vector<int> parents;
            for (const cl::Joint& joint : self.cl::Skeleton::joints()) parents.push_back(joint.parent);
            return parents;
          },
          "The number of each joint's parent; -1 for the root.")
      .def_prop_ro(
          "body_capsules",
          [](const Body& self) {
            return std::vector<cl::BodyCapsule>(self.body_capsules().begin(), self.body_capsules().end());
          },
          "The capsules, each in its joint's frame.")
      .def_prop_ro("pose_size", &Body::pose_size, "Numbers in a pose: 7 and one for each angle.")
      .def_prop_ro("capsule_count", &Body::capsule_count)
      .def_prop_ro("free_angle_count", &Body::free_angle_count,
                   "Angles whose limits differ, without the root's.")
      .def_prop_ro(
          "limits", [](const Body& self) { return FloatArray(limits(self)); },
          "(pose_size - 7, 2) float32: the lower and upper limit of each angle of a pose, in radians.")
      .def(
          "find", [](const Body& self, std::string_view name) { return self.find(name); }, nb::arg("name"),
          "The number of the joint of that name; -1 when there is none.")
      .def(
          "first_angle",
          [](const Body& self, Anything joint) { return self.first_angle(joint_number(self, joint)); },
          nb::arg("joint"), nb::sig("def first_angle(self, joint: int | str) -> int"),
          "Where the angles of a joint (a number or a name) start in a pose.")
      .def("__getstate__", [](const Body& self) { return state_of(self); })
      .def("__setstate__",
           [](Body& self, const nb::tuple& state) {
             new (&self)
                 Body(cl::Skeleton(joints_of(state[0], "state"), body_capsules_of(state[1], "state")));
           })
      .def("__repr__", [](const Body& self) {
        return "<Skeleton: " + std::to_string(self.joint_count()) + " joints, " +
               std::to_string(self.capsule_count()) + " capsules, poses of " +
               std::to_string(self.pose_size()) + " numbers>";
      });
  bind_equality(type, [](const Body& a, const Body& b) { return same(a, b); });
  bind_files(type);
  bind_kinematics(type);

  m.def(
      "human",
      [](float height, float thigh, float shin, float upper_arm, float forearm, float torso, float shoulders,
         float hips, float girth) {
        naming("height", [&] { cl::make_human(height); });
        return Body(cl::make_human(
            cl::HumanShape{height, thigh, shin, upper_arm, forearm, torso, shoulders, hips, girth}));
      },
      nb::arg("height") = 1.75f, nb::kw_only(), nb::arg("thigh") = 1.0f, nb::arg("shin") = 1.0f,
      nb::arg("upper_arm") = 1.0f, nb::arg("forearm") = 1.0f, nb::arg("torso") = 1.0f,
      nb::arg("shoulders") = 1.0f, nb::arg("hips") = 1.0f, nb::arg("girth") = 1.0f,
      "A person of the given height in metres, 0.3 to 3: 24 joints, 40 capsules.\n"
      "\n"
      "In its rest pose it stands with the arms down, y up, facing -z (towards a camera that looks\n"
      "along +z), the left side at -x. The root lies between the hip joints, 0.53 of the height\n"
      "above the ground. The keywords, 0.3 to 3, are factors of the lengths of limbs and torso, of\n"
      "the widths of shoulders and hips, and (girth) of all radii. InvalidArgument out of these\n"
      "ranges.");
}

}  // namespace triptych::python::capsule
