// BVH files as skeletons and poses, and back.
#pragma once

#include <triptych/capsule_likelihood/bvh.hpp>
#include <triptych/capsule_likelihood/motion.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <string>

namespace triptych::capsule_likelihood {

// BVH files have no unit of length. It is guessed from the size of the body in its zero pose (all angles 0):
// of metre, decimetre, centimetre, millimetre, inch, foot and CMU's inch / 0.45, the unit that gives a body
// closest to the size of a person.
struct BvhScale {
  double metres_per_unit = 1;
  double size_m = 0;  // of the body in its zero pose
  std::string unit;   // for people
};
// InvalidArgument for a Bvh that parse_bvh would not give.
BvhScale guess_scale(const Bvh& bvh);

// The unit of the motions of Carnegie Mellon University, as usually converted.
constexpr double cmu_metres_per_unit = 0.0254 / 0.45;

struct BvhSkeletonOptions {
  double metres_per_unit = 0;  // 0: guess_scale
  // Fingers, toes, and joints at the position of their parent (hip joints, collar bones) keep the angles of
  // this frame; -1: they are as free as the others.
  int fixed_at_frame = 0;
};

// The joints of the file, one for one, with the rotations of their channels in their order: the layout of a
// pose does not depend on what is fixed. Capsules follow from the names of the joints (MotionBuilder, CMU,
// Mixamo, Kinect, Poser and similar; an unknown joint gets a thin capsule along each bone) and are scaled to
// the size of the body. Limits are those of a supple person, wider where the axes of the file are not those
// of the body. InvalidArgument when a joint other than the root has a position that moves or is not its
// offset, when the body is larger than Skeleton::max_length_m, and for a Bvh that parse_bvh would not give.
Skeleton make_skeleton(const Bvh& bvh, const BvhSkeletonOptions& options = {});

// The motion as poses of make_skeleton's result, frame_count() of them. Successive angles differ by at most
// half a turn. InvalidArgument as above, when the skeleton has other joints, when the unit is not above 0, or
// when the root is farther than 1000 km from the origin.
Motion poses_of(const Bvh& bvh, const Skeleton& skeleton, double metres_per_unit);

// Poses as a BVH motion. Lengths are divided by metres_per_unit. The root has three positions and its
// rotations (Z Y X unless it has three). The end site of a leaf joint is the far end of its capsules. Joints
// are in depth-first order. InvalidArgument when the poses do not fit the skeleton or are not finite, the
// unit is not above 0, or a length or the frame time is out of the range of BVH files.
Bvh to_bvh(const Skeleton& skeleton, const Motion& motion, double metres_per_unit = 1);

}  // namespace triptych::capsule_likelihood
