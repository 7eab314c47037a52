// Which part of the body a joint of a BVH file moves, by its name and its neighbours' names.
#pragma once

#include <triptych/capsule_likelihood/bvh.hpp>

#include <vector>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood::detail {

enum class Part {
  hips,
  hip_joint,  // between the hips and a thigh, where a thigh has a joint of its own
  thigh,
  shin,
  foot,
  toe,
  spine,
  neck,
  head,
  clavicle,
  upper_arm,
  forearm,
  hand,
  finger,
  tip,  // a mark at the end of something, an eye, a jaw
  other
};

enum class Side { none, left, right };

// The body in its zero pose, in metres.
struct ZeroBody {
  std::vector<Part> parts;                 // of each joint
  std::vector<Side> sides;                 // of each joint
  std::vector<Vec> positions;              // of each joint
  std::vector<Vec> offsets;                // from the parent
  std::vector<std::vector<Vec>> ends;      // from each joint to its end sites
  std::vector<std::vector<int>> children;  // of each joint
  // Unit vectors: from the hips to the head, to the left, and where the body looks.
  Vec up = {0, 1, 0}, left = {1, 0, 0}, front = {0, 0, 1};
  double size_m = 0;  // largest extent along an axis

  // From a joint to the end of its bone: the first descendant at another position, or an end site,
  // or else 0.
  Vec bone(int joint) const;
  double height(const Vec& position) const { return dot(position - positions[0], up); }
};

ZeroBody zero_body(const Bvh& bvh, double metres_per_unit);

}  // namespace triptych::capsule_likelihood::detail
