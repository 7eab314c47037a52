#include <triptych/core/device_guard.hpp>

#include "../compute.hpp"
#include "../device_array.hpp"
#include "kinematics.hpp"
#include "stream_order.hpp"

namespace triptych::python::capsule {

namespace {

void check_poses(const Array& poses, const Body& self) {
  const bool one = poses.ndim() == 1 && poses.shape(0) == self.pose_size();
  const bool many = poses.ndim() == 2 && poses.shape(1) == self.pose_size();
  if (!one && !many)
    throw InvalidArgument(std::string(poses.argument()) + ": expected float32 of shape (" +
                          std::to_string(self.pose_size()) + ",) or (n, " + std::to_string(self.pose_size()) +
                          "), not " + poses.describe());
}

template <class T>
constexpr std::size_t floats = sizeof(T) / sizeof(float);

// The positions of joints (T = Vec3), or capsules.
template <class T>
nb::object posed(const Body& self, nb::handle object, nb::handle stream, int threads) {
  constexpr bool is_joints = std::is_same_v<T, cl::Vec3>;
  const int columns = is_joints ? self.joint_count() : self.capsule_count();
  const auto items = static_cast<std::size_t>(columns);
  if (is_on_gpu(object)) {
    const StreamRef on = stream_for(stream, {{object, "pose"}});
    const Array poses = array_on(on, object, "pose");
    check_poses(poses, self);
    const DeviceGuard guard(poses.ordinal());
    const std::int64_t rows = poses.ndim() == 1 ? 1 : poses.shape(0);
    const DeviceMatrixView<const float> view(poses.contiguous<float>(), rows, self.pose_size());
    std::vector<std::size_t> shape = {items, floats<T>};
    if (poses.ndim() == 2) shape.insert(shape.begin(), static_cast<std::size_t>(rows));
    DeviceArray result(nb::dtype<float>(), shape, poses.ordinal());
    const cl::DeviceSkeleton& skeleton = self.on_gpu(poses.ordinal());
    if (rows > 0 && columns > 0) {
      const DeviceMatrixView<T> out(reinterpret_cast<T*>(result.data<float>()), rows, columns);
      if constexpr (is_joints) {
        cl::pose_cuda(skeleton, view, out, {}, on);
      } else {
        cl::pose_cuda(skeleton, view, {}, out, on);
      }
    }
    result.filled_on(on);
    return nb::cast(std::move(result));
  }
  const Array poses = host_array<float>(object, "pose");
  check_poses(poses, self);
  const std::int64_t rows = poses.ndim() == 1 ? 1 : poses.shape(0);
  const MatrixView<const float> view(static_cast<const float*>(poses.data()), rows, self.pose_size());
  std::vector<float> values(static_cast<std::size_t>(rows) * items * floats<T>);
  const MatrixView<T> out(reinterpret_cast<T*>(values.data()), rows, columns);
  const auto work = [&] {
    if constexpr (is_joints) {
      cl::pose_cpu(self, view, out, {}, rows == 1 ? 1 : threads);
    } else {
      cl::pose_cpu(self, view, {}, out, rows == 1 ? 1 : threads);
    }
  };
  if (!values.empty()) compute(work);
  if (poses.ndim() == 1) return to_numpy(std::move(values), {items, floats<T>});
  return to_numpy(std::move(values), {static_cast<std::size_t>(rows), items, floats<T>});
}

nb::object clamped(const Body& self, nb::handle object) {
  const Array poses = host_array<float>(object, "pose");
  check_poses(poses, self);
  const std::span<const float> given = host_floats(poses);
  std::vector<float> values(given.begin(), given.end());
  const auto size = static_cast<std::size_t>(self.pose_size());
  naming("pose", [&] {
    for (std::size_t at = 0; at < values.size(); at += size) self.clamp(std::span(values).subspan(at, size));
  });
  if (poses.ndim() == 1) return to_numpy(std::move(values), {size});
  const std::size_t rows = values.size() / size;
  return to_numpy(std::move(values), {rows, size});
}

constexpr const char* pose_doc =
    "\n\npose: (pose_size,) or, for many poses, (n, pose_size): numbers, a NumPy array, a Motion; or\n"
    "float32 on a GPU.\n"
    "stream: on a GPU, the CUDA stream on which the array is written and the work enqueued; by\n"
    "default the current stream of its library.\n"
    "threads: of the CPU; 0: all cores. CPU and GPU give the same bits. A pose of another size:\n"
    "InvalidArgument.";

}  // namespace

Array pose_array(nb::handle object, const cl::Skeleton& skeleton, const char* argument) {
  Array pose = host_array<float>(object, argument);
  if (pose.ndim() != 1 || pose.shape(0) != skeleton.pose_size())
    throw InvalidArgument(std::string(argument) + ": expected " + std::to_string(skeleton.pose_size()) +
                          " numbers, not " + pose.describe());
  return pose;
}
std::span<const float> pose_span(const Array& pose) { return host_floats(pose); }

void bind_kinematics(nb::class_<Body>& type) {
  type.def(
          "joints",
          [](const Body& self, ArrayAnywhere pose, Anything stream, Whole<"threads"> threads) {
            return FloatArrayAnywhere(posed<cl::Vec3>(self, pose, stream, threads));
          },
          nb::arg("pose"), nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("threads") = 0,
          (std::string("The positions of all joints in a pose, in metres: (joints, 3) float32; of many poses "
                       "(n, joints, 3). A DeviceArray for poses on a GPU.") +
           pose_doc)
              .c_str())
      .def(
          "capsules",
          [](const Body& self, ArrayAnywhere pose, Anything stream, Whole<"threads"> threads) {
            return FloatArrayAnywhere(posed<cl::Capsule>(self, pose, stream, threads));
          },
          nb::arg("pose"), nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("threads") = 0,
          (std::string(
               "The capsules in a pose, in the camera's frame: (capsules, 7) float32, of each one end (3),\n"
               "the radius and the other end (3), in metres; of many poses (n, capsules, 7). A DeviceArray\n"
               "for poses on a GPU.") +
           pose_doc)
              .c_str())
      .def(
          "rest_pose",
          [](const Body& self) {
            return FloatArray(to_numpy(self.rest_pose(), {static_cast<std::size_t>(self.pose_size())}));
          },
          "(pose_size,) float32: position 0, no rotation, every angle 0 or the nearest within its limits.")
      .def(
          "clamp", [](const Body& self, ArrayLike pose) { return FloatArray(clamped(self, pose)); },
          nb::arg("pose"),
          "A copy of a pose, or of many (n, pose_size), with every angle within its limits. InvalidArgument "
          "for another size, or an angle that is NaN.");
}

}  // namespace triptych::python::capsule
