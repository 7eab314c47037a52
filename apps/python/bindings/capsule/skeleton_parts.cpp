// Rotation, Joint and BodyCapsule: what a Skeleton is made of.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>

#include "capsule.hpp"
#include "parts.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

constexpr Name<cl::Axis> axes[] = {{"x", cl::Axis::x}, {"y", cl::Axis::y}, {"z", cl::Axis::z}};

bool same_bits(const cl::Vec3& a, const cl::Vec3& b) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  return bits(a.x) == bits(b.x) && bits(a.y) == bits(b.y) && bits(a.z) == bits(b.z);
}

std::string text_of(const cl::Vec3& place) {
  return nb::cast<std::string>(nb::repr(nb::make_tuple(shown(place.x), shown(place.y), shown(place.z))));
}

// An object of class T: itself, or one that T makes of a tuple of its arguments, a dict of them, or of one
// text.
template <class T>
std::vector<T> parts_of(nb::handle list, const char* argument, const char* what) {
  const bool is_text = nb::isinstance<nb::str>(list) && !std::is_same_v<T, cl::Rotation>;
  if (is_text || !nb::isinstance<nb::iterable>(list))
    throw InvalidArgument(std::string(argument) + ": expected a list of " + what + ", not a " +
                          type_text(list));
  std::vector<T> parts;
  for (const nb::handle one : nb::borrow<nb::iterable>(list)) {
    if (nb::isinstance<T>(one)) {
      parts.push_back(nb::cast<T>(one));
      continue;
    }
    const nb::handle type = nb::type<T>();
    try {
      const nb::object made = nb::isinstance<nb::dict>(one)  ? type(**nb::borrow<nb::dict>(one))
                              : nb::isinstance<nb::str>(one) ? type(one)
                                                             : type(*nb::borrow<nb::object>(one));
      parts.push_back(nb::cast<T>(made));
    } catch (nb::python_error& problem) {
      if (!problem.matches(PyExc_TypeError)) throw;
      throw InvalidArgument(std::string(argument) + ": item " + std::to_string(parts.size()) +
                            " is none of the " + what + ", nor the arguments of one as a tuple or a dict");
    }
  }
  return parts;
}

int parent_of(nb::handle parent) {
  if (parent.is_none()) return -1;
  int index = 0;
  if (!nb::isinstance<nb::bool_>(parent) && nb::try_cast(parent, index)) return index;
  throw InvalidArgument("parent: expected the number of a joint, or None for the root, not a " +
                        type_text(parent));
}

nb::tuple arguments_of(const cl::Rotation& self) {
  return nb::make_tuple(name_of(self.axis, axes), self.lower_rad, self.upper_rad);
}
nb::tuple arguments_of(const cl::Joint& self) {
  nb::list rotations;
  for (const cl::Rotation& rotation : self.rotations) rotations.append(arguments_of(rotation));
  return nb::make_tuple(self.name, self.parent, to_tuple(self.offset_m), nb::tuple(rotations));
}
nb::tuple arguments_of(const cl::BodyCapsule& self) {
  return nb::make_tuple(self.joint, to_tuple(self.capsule.a), to_tuple(self.capsule.b),
                        self.capsule.radius_m);
}

// ==, and pickle by the arguments of the constructor.
template <class T>
void bind_value(nb::class_<T>& type) {
  type.def("__reduce__", [](nb::handle self) {
    return nb::make_tuple(nb::borrow(self.type()), arguments_of(nb::cast<const T&>(self)));
  });
  bind_equality(type, [](const T& a, const T& b) { return same(a, b); });
}

}  // namespace

bool same(const cl::Rotation& a, const cl::Rotation& b) {
  return a.axis == b.axis && a.lower_rad == b.lower_rad && a.upper_rad == b.upper_rad;
}
bool same(const cl::Joint& a, const cl::Joint& b) {
  return a.name == b.name && a.parent == b.parent && same_bits(a.offset_m, b.offset_m) &&
         std::ranges::equal(a.rotations, b.rotations,
                            [](const auto& x, const auto& y) { return same(x, y); });
}
bool same(const cl::BodyCapsule& a, const cl::BodyCapsule& b) {
  return a.joint == b.joint && same_bits(a.capsule.a, b.capsule.a) && same_bits(a.capsule.b, b.capsule.b) &&
         a.capsule.radius_m == b.capsule.radius_m;
}

std::vector<cl::Joint> joints_of(nb::handle list, const char* argument) {
  return parts_of<cl::Joint>(list, argument, "Joints");
}
std::vector<cl::BodyCapsule> body_capsules_of(nb::handle list, const char* argument) {
  return parts_of<cl::BodyCapsule>(list, argument, "BodyCapsules");
}

nb::tuple state_of(const cl::Skeleton& skeleton) {
  nb::list joints, capsules;
  for (const cl::Joint& joint : skeleton.joints()) joints.append(arguments_of(joint));
  for (const cl::BodyCapsule& capsule : skeleton.body_capsules()) capsules.append(arguments_of(capsule));
  return nb::make_tuple(joints, capsules);
}

void bind_skeleton_parts(nb::module_& m) {
  auto rotation = nb::class_<cl::Rotation>(
      m, "Rotation",
      "One rotation of a joint, about an axis of the frame that the joint's earlier rotations have rotated.");
  rotation
      .def(
          "__init__",
          [](cl::Rotation* self, std::string_view axis, float lower_rad, float upper_rad) {
            new (self) cl::Rotation{parse_name(axis, "axis", axes), lower_rad, upper_rad};
          },
          nb::arg("axis"), nb::arg("lower_rad") = shown(cl::Rotation{}.lower_rad),
          nb::arg("upper_rad") = shown(cl::Rotation{}.upper_rad),
          "axis: \"x\", \"y\" or \"z\". lower_rad, upper_rad: the limits of the angle, by default half a "
          "turn either way; equal: fixed at that angle.")
      .def_prop_ro("axis", [](const cl::Rotation& self) { return std::string(name_of(self.axis, axes)); })
      .def_ro("lower_rad", &cl::Rotation::lower_rad)
      .def_ro("upper_rad", &cl::Rotation::upper_rad)
      .def("__repr__", [](const cl::Rotation& self) {
        return "Rotation('" + std::string(name_of(self.axis, axes)) +
               "', lower_rad=" + python::text_of(shown(self.lower_rad)) +
               ", upper_rad=" + python::text_of(shown(self.upper_rad)) + ")";
      });
  bind_value(rotation);

  auto joint = nb::class_<cl::Joint>(m, "Joint", "A joint of a Skeleton.");
  joint
      .def(
          "__init__",
          [](cl::Joint* self, std::string name, Anything parent, ArrayLike offset_m, Anything rotations) {
            cl::Joint made{std::move(name), parent_of(parent), place_of(offset_m, "offset_m"),
                           parts_of<cl::Rotation>(rotations, "rotations", "Rotations")};
            new (self) cl::Joint(std::move(made));
          },
          nb::arg("name"), nb::arg("parent") = nb::none(),
          nb::arg("offset_m") = nb::make_tuple(0.0, 0.0, 0.0), nb::arg("rotations") = nb::make_tuple(),
          nb::sig(
              "def __init__(self, name: str, parent: int | None = None, offset_m: numpy.typing.ArrayLike = "
              "(0.0, 0.0, 0.0), rotations: collections.abc.Iterable[Rotation | str | tuple] = ()) -> None"),
          "parent: the number of a joint before this one in the list; None or -1: the root, joint 0.\n"
          "offset_m: from the parent's joint, in the parent's frame, three numbers in metres.\n"
          "rotations: up to three, applied in this order; those of the root are the order in which\n"
          "files hold its orientation. A tuple stands for the arguments of Rotation, \"x\" for\n"
          "Rotation(\"x\"), and \"xyz\" for three of these.")
      .def_ro("name", &cl::Joint::name)
      .def_ro("parent", &cl::Joint::parent, "The number of the parent; -1 for the root.")
      .def_prop_ro(
          "offset_m", [](const cl::Joint& self) { return to_tuple(self.offset_m); },
          "From the parent's joint, in the parent's frame, in metres.",
          nb::sig("def offset_m(self) -> tuple[float, float, float]"))
      .def_ro("rotations", &cl::Joint::rotations)
      .def("__repr__", [](const cl::Joint& self) {
        std::string text = "Joint('" + self.name + "', parent=" + std::to_string(self.parent) +
                           ", offset_m=" + text_of(self.offset_m) + ", rotations='";
        for (const cl::Rotation& one : self.rotations) text += name_of(one.axis, axes);
        return text + "')";
      });
  bind_value(joint);

  auto capsule = nb::class_<cl::BodyCapsule>(
      m, "BodyCapsule",
      "A capsule that moves with a joint: all points within radius_m of the segment from a_m to b_m.");
  capsule
      .def(
          "__init__",
          [](cl::BodyCapsule* self, Whole<"joint"> number, ArrayLike a_m, ArrayLike b_m, float radius_m) {
            new (self) cl::BodyCapsule{number, {place_of(a_m, "a_m"), radius_m, place_of(b_m, "b_m")}};
          },
          nb::arg("joint"), nb::arg("a_m"), nb::arg("b_m"), nb::arg("radius_m"),
          "joint: its number. a_m, b_m: the ends in that joint's frame, three numbers each, in metres; equal "
          "ends are a sphere.")
      .def_ro("joint", &cl::BodyCapsule::joint, "The number of the joint.")
      .def_prop_ro(
          "a_m", [](const cl::BodyCapsule& self) { return to_tuple(self.capsule.a); },
          nb::sig("def a_m(self) -> tuple[float, float, float]"))
      .def_prop_ro(
          "b_m", [](const cl::BodyCapsule& self) { return to_tuple(self.capsule.b); },
          nb::sig("def b_m(self) -> tuple[float, float, float]"))
      .def_prop_ro("radius_m", [](const cl::BodyCapsule& self) { return self.capsule.radius_m; })
      .def("__repr__", [](const cl::BodyCapsule& self) {
        return "BodyCapsule(" + std::to_string(self.joint) + ", a_m=" + text_of(self.capsule.a) +
               ", b_m=" + text_of(self.capsule.b) +
               ", radius_m=" + python::text_of(shown(self.capsule.radius_m)) + ")";
      });
  bind_value(capsule);
}

}  // namespace triptych::python::capsule
