// The parts of triptych.capsule, and the classes of Python's side that more than one of them uses.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/motion.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "inputs.hpp"

namespace triptych::python::capsule {

// A Skeleton, with its copies in the memory of GPUs.
class Body : public cl::Skeleton {
 public:
  Body(cl::Skeleton skeleton) : cl::Skeleton(std::move(skeleton)) {}

  // The copy on that GPU, made at the first call.
  const cl::DeviceSkeleton& on_gpu(int ordinal) const;

 private:
  struct Copies {
    std::mutex mutex;
    std::map<int, cl::DeviceSkeleton> by_gpu;
  };
  std::shared_ptr<Copies> copies_ = std::make_shared<Copies>();
};
bool same(const cl::Skeleton& a, const cl::Skeleton& b);

// One pose, (pose_size,): a sequence, an array.
Array pose_array(nb::handle object, const cl::Skeleton& skeleton, const char* argument);
std::span<const float> pose_span(const Array& pose);
// Poses as a Motion: one, an array (n, pose_size), or a list of Estimates. frame_time_s: instead of the
// Motion's.
cl::Motion motion_of(nb::handle object, const cl::Skeleton& skeleton, const char* argument,
                     std::optional<double> frame_time_s);

void bind_skeleton_parts(nb::module_& m);
void bind_skeleton(nb::module_& m);
void bind_motion(nb::module_& m);
void bind_motion_files(nb::module_& m);
void bind_joint_table(nb::module_& m);
void bind_cloud(nb::module_& m);
void bind_scene(nb::module_& m);
void bind_cameras(nb::module_& m);
void bind_extrinsics(nb::module_& m);
void bind_fit(nb::module_& m);
void bind_render(nb::module_& m);
void bind_resample(nb::module_& m);
void bind_rays(nb::module_& m);
void bind_estimate(nb::module_& m);
void bind_filter(nb::module_& m);

}  // namespace triptych::python::capsule
