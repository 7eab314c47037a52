// triptych.capsule.
#include "../bind.hpp"
#include "capsule.hpp"

namespace triptych::python {

void bind_capsule(nb::module_& m) {
  capsule::bind_skeleton_parts(m);
  capsule::bind_skeleton(m);
  capsule::bind_estimate(m);
  capsule::bind_motion(m);
  capsule::bind_motion_files(m);
  capsule::bind_joint_table(m);
  capsule::bind_cloud(m);
  capsule::bind_scene(m);
  capsule::bind_cameras(m);
  capsule::bind_extrinsics(m);
  capsule::bind_fit(m);
  capsule::bind_render(m);
  capsule::bind_resample(m);
  capsule::bind_rays(m);
  capsule::bind_filter(m);
}

}  // namespace triptych::python
