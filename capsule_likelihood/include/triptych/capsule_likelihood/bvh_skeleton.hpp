// BVH files as skeletons and poses, and back.
#pragma once

#include <triptych/capsule_likelihood/bvh.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/matrix_view.hpp>

#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

// BVH files do not say what a 1 is. The unit is guessed from the size of the body in its zero pose (all
// angles 0; as tall as it is wide with arms spread): the usual unit (metre, decimetre, centimetre,
// millimetre, inch, foot, or CMU's inch / 0.45) that makes it most like a person.
struct BvhScale {
  double metres_per_unit = 1;
  double size_m = 0;  // of the body in its zero pose
  std::string unit;   // for people
};
BvhScale guess_scale(const Bvh& bvh);

// The unit of the motions of Carnegie Mellon University, as usually converted.
constexpr double cmu_metres_per_unit = 0.0254 / 0.45;

struct BvhSkeletonOptions {
  double metres_per_unit = 0;  // 0: guess_scale
  // Fingers, toes, and joints that lie in the same place as their parent and have no muscle of their own (hip
  // joints, collar bones) keep the angles of this frame; -1: they are as free as the others.
  int fixed_at_frame = 0;
};

// The joints of the file, one for one, with the rotations of their channels in their order, so that poses are
// laid out the same whatever is fixed. Clad in capsules by the names of the joints (MotionBuilder and CMU,
// Mixamo, Kinect, Poser and the like; what has no known name gets a thin capsule along each bone), sized by
// the body's size. Limits are those of a supple person, generous where the file's axes are at odds with the
// body's. InvalidArgument when a joint other than the root has a position that moves or is not its offset.
Skeleton make_skeleton(const Bvh& bvh, const BvhSkeletonOptions& options = {});

// The motion as poses of make_skeleton's result: a pose in each row, frame_count() rows. Angles follow each
// other without jumps of a whole turn. InvalidArgument as above, or when the skeleton has other joints.
std::vector<float> poses_of(const Bvh& bvh, const Skeleton& skeleton, double metres_per_unit);

// Poses as a motion: lengths are divided by metres_per_unit; the root gets its three positions and its
// rotations (Z Y X when it has not three). Joints at which no other hangs end in the far end of their
// capsules. Joints come in the order of the tree. InvalidArgument when the poses do not fit.
Bvh to_bvh(const Skeleton& skeleton, MatrixView<const float> poses, double frame_time_s,
           double metres_per_unit = 1);

}  // namespace triptych::capsule_likelihood
