// A body and a first pose for it: from the joints that a sensor's software found, or from a cloud alone.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood {

// Where a joint of the Kinect lies in the built-in human: between two of its joints, at this share of the
// way.
struct KinectJoint {
  std::string_view kinect;  // as in head, shoulder_center, left_elbow
  std::string_view from, to;
  float share;
};
// All 20.
std::span<const KinectJoint> kinect_joints();

// The positions of the Kinect's joints, in the order of the names, for the joints of a posed built-in human
// (as pose_cpu gives them). A name may also be one of the human's own joints. InvalidArgument for other
// names.
std::vector<Vec3> positions_of(const Skeleton& human, std::span<const Vec3> joints,
                               std::span<const std::string> names);

struct FittedPose {
  std::vector<float> pose;
  double mean_error_m = 0;  // between the given positions and those of the pose
};

// The pose of the human, within its limits, that is nearest to the given positions (least squares, with weak
// regularisation towards rest). Positions that are NaN are ignored. start: a pose to begin with; empty: from
// the hips and shoulders, which must then be among the names. InvalidArgument when sizes do not fit, a name
// is unknown, a position is farther than 1000 km, or the start is not finite or has no orientation.
FittedPose fit_pose(const Skeleton& human, std::span<const std::string> names,
                    std::span<const Vec3> positions, std::span<const float> start = {});

struct FittedHuman {
  Skeleton skeleton;
  FittedPose start;
};

// A human with the lengths of the limbs, the torso and the widths of hips and shoulders that the positions
// have, and the pose. Hips, knees, ankles, shoulders, elbows and wrists must be among the names and finite.
FittedHuman fit_human(std::span<const std::string> names, std::span<const Vec3> positions);

// The human with the radii of its torso, head, arms and legs scaled (each group by 0.6 to 2) so that it
// explains a cloud best in a pose: the mean over the points of the squared difference, at most 0.05 m,
// between a point's distance from the camera and the first surface on its ray. Clothes can make a body a
// third thicker. InvalidArgument when the pose does not fit or is not finite, the camera is not finite, or
// there are no points.
Skeleton fit_radii(const Skeleton& human, std::span<const float> pose, std::span<const Vec3> points,
                   const Vec3& camera = {});

struct FittedBody {
  Skeleton skeleton;
  std::vector<float> pose;
};

// fit_radii for a pose that was found in the cloud with the usual radii. A body that is thinner than the
// person is then found too near to the camera: the distance of the root is fitted together with the radii.
FittedBody fit_body(const Skeleton& human, std::span<const float> pose, std::span<const Vec3> points,
                    const Vec3& camera = {});

// A standing person alone in a cloud (some stray points do not matter), y up: how tall, and where the root of
// make_human(height_m) is. InvalidArgument when there are fewer than 50 points that are finite.
struct StandingPerson {
  float height_m = 0;
  Vec3 root;
};
StandingPerson find_standing_person(std::span<const Vec3> points);

}  // namespace triptych::capsule_likelihood
