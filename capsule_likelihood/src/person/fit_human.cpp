// Fits the built-in human to positions of joints.
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>

#include "body/check_poses.hpp"
#include "body/rotation.hpp"
#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Vec;

// Above the soles, in shares of a standing person's height, the Kinect's joints lie at 0.96 (head), 0.85
// (shoulder_center), 0.785 (shoulders), 0.64 (spine), 0.60 (hip_center), 0.555 (hips), 0.27 (knees) and 0.05
// (ankles). Its shoulders are lower than those of the human, its hips higher: the torso between them is
// shorter.
constexpr std::array<KinectJoint, 20> kinect = {{{"head", "head", "head_top", 0.6f},
                                                 {"shoulder_center", "neck", "head", 0.35f},
                                                 {"spine", "spine", "chest", 0.55f},
                                                 {"hip_center", "spine", "chest", 0.2f},
                                                 {"left_shoulder", "left_upper_arm", "spine", 0.12f},
                                                 {"left_elbow", "left_forearm", "left_forearm", 0},
                                                 {"left_wrist", "left_hand", "left_hand", 0},
                                                 {"left_hand", "left_hand", "left_fingers", 0.8f},
                                                 {"right_shoulder", "right_upper_arm", "spine", 0.12f},
                                                 {"right_elbow", "right_forearm", "right_forearm", 0},
                                                 {"right_wrist", "right_hand", "right_hand", 0},
                                                 {"right_hand", "right_hand", "right_fingers", 0.8f},
                                                 {"left_hip", "left_thigh", "chest", 0.15f},
                                                 {"left_knee", "left_shin", "left_foot", 0.05f},
                                                 {"left_ankle", "left_shin", "left_foot", 0.95f},
                                                 {"left_foot", "left_foot", "left_toes", 0.35f},
                                                 {"right_hip", "right_thigh", "chest", 0.15f},
                                                 {"right_knee", "right_shin", "right_foot", 0.05f},
                                                 {"right_ankle", "right_shin", "right_foot", 0.95f},
                                                 {"right_foot", "right_foot", "right_toes", 0.35f}}};

struct Mark {
  int from, to;
  float share;

  Vec position(std::span<const Vec3> joints) const {
    const Vec a(joints[static_cast<std::size_t>(from)]), b(joints[static_cast<std::size_t>(to)]);
    return a + static_cast<double>(share) * (b - a);
  }
};

std::vector<Mark> marks_of(const Skeleton& human, std::span<const std::string> names) {
  const auto joint = [&](std::string_view name) {
    const int index = human.find(name);
    require(index >= 0, "the skeleton has no joint ", name, " of the built-in human");
    return index;
  };
  std::vector<Mark> marks;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kinect, name, &KinectJoint::kinect);
    if (found != kinect.end()) {
      marks.push_back({joint(found->from), joint(found->to), found->share});
    } else {
      require(human.find(name) >= 0, "the joint ", name, " is known neither of the Kinect nor of the human");
      marks.push_back({human.find(name), human.find(name), 0});
    }
  }
  return marks;
}

class PoseFitter {
 public:
  PoseFitter(const Skeleton& human, std::span<const std::string> names, std::span<const Vec3> positions)
      : human_(human), marks_(marks_of(human, names)), names_(names), positions_(positions) {
    require(names.size() == positions.size(), names.size(), " names do not fit ", positions.size(),
            " positions");
    const auto fits = [](float x) { return !std::isfinite(x) || std::abs(x) <= max_position_m; };
    for (std::size_t i = 0; i < names.size(); ++i) {
      require(fits(positions[i].x) && fits(positions[i].y) && fits(positions[i].z), "the position of ",
              names[i], " is farther than 1000 km");
    }
  }

  // Between the hips, with the orientation of hips and shoulders.
  std::vector<float> start() const {
    const auto position = [&](const char* kinect_name, const char* own_name) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        if ((names_[i] == kinect_name || names_[i] == own_name) && is_finite(positions_[i]))
          return Vec(positions_[i]);
      }
      require(false, "the joint ", kinect_name, " is needed to begin with");
      return Vec();
    };
    const Vec left_hip = position("left_hip", "left_thigh"), right_hip = position("right_hip", "right_thigh");
    const Vec left_arm = position("left_shoulder", "left_upper_arm");
    const Vec right_arm = position("right_shoulder", "right_upper_arm");
    const Vec hips = 0.5 * (left_hip + right_hip);
    const Vec y = unit_or(0.5 * (left_arm + right_arm) - hips, {0, 1, 0});
    const Vec across = right_hip - left_hip + right_arm - left_arm;
    const Vec x = unit_or(across - dot(across, y) * y, {1, 0, 0});
    const Vec z = cross(x, y);
    std::vector<float> pose = human_.rest_pose();
    const Vec3 root = (hips - Vec(human_.joints()[0].offset_m)).to_float();
    pose[0] = root.x, pose[1] = root.y, pose[2] = root.z;
    set_root_rotation(pose, {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}});
    return pose;
  }

  // Gauss-Newton with a damping that grows while a step does not help (Levenberg, Marquardt).
  FittedPose fit(std::vector<float> pose) const {
    constexpr int max_steps = 60;
    double damping = 1e-3, cost = cost_of(pose);
    for (int step = 0; step < max_steps && damping < 1e6; ++step) {
      const Eigen::VectorXd errors = residuals(pose);
      const Eigen::MatrixXd jacobian = slopes(pose);
      Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
      const Eigen::VectorXd gradient = jacobian.transpose() * errors;
      bool improved = false;
      while (!improved && damping < 1e6) {
        Eigen::MatrixXd damped = normal;
        damped.diagonal().array() += damping * (1e-2 + normal.diagonal().array());
        const Eigen::VectorXd change = damped.ldlt().solve(-gradient);
        if (!change.allFinite()) {
          damping *= 4;
          continue;
        }
        std::vector<float> next = moved(pose, change);
        const double next_cost = cost_of(next);
        improved = next_cost < cost;
        damping *= improved ? 0.3 : 4;
        if (!improved) continue;
        const bool settled = cost - next_cost < 1e-9 * cost;
        pose = std::move(next);
        cost = next_cost;
        if (settled) damping = 1e9;
      }
    }
    return {pose, mean_error(pose)};
  }

 private:
  static void set_root_rotation(std::vector<float>& pose, const detail::Rot& rotation) {
    const std::array<double, 4> q = detail::quaternion_of(rotation);
    for (std::size_t i = 0; i < 4; ++i) pose[3 + i] = static_cast<float>(q[i]);
  }

  // Parameters: the root's position (3), its rotation about x, y, z (3), the angles.
  Eigen::Index parameters() const { return human_.pose_size() - 1; }

  std::vector<float> moved(const std::vector<float>& pose, const Eigen::VectorXd& change) const {
    std::vector<float> next = pose;
    for (std::size_t i = 0; i < 3; ++i) next[i] += static_cast<float>(change[static_cast<Eigen::Index>(i)]);
    const Vec turn(change[3], change[4], change[5]);
    const double angle = length(turn);
    if (angle > 0) {
      set_root_rotation(next, detail::rotation_about((1 / angle) * turn, angle) *
                                  detail::rotation_of_quaternion({pose[3], pose[4], pose[5], pose[6]}));
    }
    for (std::size_t i = Skeleton::root_floats; i < next.size(); ++i) {
      next[i] += static_cast<float>(change[static_cast<Eigen::Index>(i) - 1]);
    }
    human_.clamp(next);
    return next;
  }

  // The joints of poses that stand one after the other.
  std::vector<Vec3> joints_of(const std::vector<float>& poses) const {
    const std::int64_t rows = static_cast<std::int64_t>(poses.size()) / human_.pose_size();
    std::vector<Vec3> joints(static_cast<std::size_t>(rows * human_.joint_count()));
    pose_cpu(human_, {poses.data(), rows, human_.pose_size()}, {joints.data(), rows, human_.joint_count()},
             {}, 1);
    return joints;
  }

  // Metres for each position, then the regularisation: a little for each radian from rest.
  Eigen::VectorXd residuals(std::span<const float> pose, std::span<const Vec3> joints) const {
    constexpr double pull_m_per_rad = 0.01;
    const auto marks = static_cast<Eigen::Index>(positions_.size());
    const Eigen::Index angles = human_.pose_size() - Skeleton::root_floats;
    Eigen::VectorXd errors = Eigen::VectorXd::Zero(3 * marks + angles);
    for (Eigen::Index i = 0; i < marks; ++i) {
      const Vec3& position = positions_[static_cast<std::size_t>(i)];
      if (!is_finite(position)) continue;
      const Vec off = marks_[static_cast<std::size_t>(i)].position(joints) - Vec(position);
      errors.segment<3>(3 * i) << off.x, off.y, off.z;
    }
    for (Eigen::Index i = 0; i < angles; ++i) {
      errors[3 * marks + i] = pull_m_per_rad * pose[static_cast<std::size_t>(i) + Skeleton::root_floats];
    }
    return errors;
  }
  Eigen::VectorXd residuals(const std::vector<float>& pose) const { return residuals(pose, joints_of(pose)); }

  Eigen::MatrixXd slopes(const std::vector<float>& pose) const {
    constexpr double step = 2e-3;  // the positions are floats: a smaller step is below their rounding
    std::vector<float> poses;
    Eigen::VectorXd change = Eigen::VectorXd::Zero(parameters());
    for (Eigen::Index i = 0; i < parameters(); ++i) {
      for (const double sign : {1.0, -1.0}) {
        change[i] = sign * step;
        const std::vector<float> next = nudged(pose, change);
        poses.insert(poses.end(), next.begin(), next.end());
      }
      change[i] = 0;
    }
    const std::vector<Vec3> joints = joints_of(poses);
    const auto row = [&](Eigen::Index i) {
      const auto size = static_cast<std::size_t>(human_.pose_size());
      const auto count = static_cast<std::size_t>(human_.joint_count());
      return residuals(std::span(poses).subspan(static_cast<std::size_t>(i) * size, size),
                       std::span(joints).subspan(static_cast<std::size_t>(i) * count, count));
    };
    Eigen::MatrixXd jacobian(residuals(pose).size(), parameters());
    for (Eigen::Index i = 0; i < parameters(); ++i)
      jacobian.col(i) = (row(2 * i) - row(2 * i + 1)) / (2 * step);
    return jacobian;
  }

  // Not clamped at the limits, where a one-sided difference would be 0.
  std::vector<float> nudged(const std::vector<float>& pose, const Eigen::VectorXd& change) const {
    std::vector<float> next = moved(pose, change);
    for (std::size_t i = Skeleton::root_floats; i < next.size(); ++i) {
      next[i] = pose[i] + static_cast<float>(change[static_cast<Eigen::Index>(i) - 1]);
    }
    return next;
  }

  double cost_of(const std::vector<float>& pose) const { return residuals(pose).squaredNorm(); }

  double mean_error(const std::vector<float>& pose) const {
    const std::vector<Vec3> joints = joints_of(pose);
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (!is_finite(positions_[i])) continue;
      sum += length(marks_[i].position(joints) - Vec(positions_[i]));
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  const Skeleton& human_;
  std::vector<Mark> marks_;
  std::span<const std::string> names_;
  std::span<const Vec3> positions_;
};

}  // namespace

std::span<const KinectJoint> kinect_joints() { return kinect; }

std::vector<Vec3> positions_of(const Skeleton& human, std::span<const Vec3> joints,
                               std::span<const std::string> names) {
  require(joints.size() == human.joints().size(), joints.size(), " positions do not fit a skeleton of ",
          human.joints().size(), " joints");
  std::vector<Vec3> positions;
  for (const Mark& mark : marks_of(human, names)) positions.push_back(mark.position(joints).to_float());
  return positions;
}

FittedPose fit_pose(const Skeleton& human, std::span<const std::string> names,
                    std::span<const Vec3> positions, std::span<const float> start) {
  const PoseFitter fitter(human, names, positions);
  if (start.empty()) return fitter.fit(fitter.start());
  detail::check_pose(human, start, "a start pose");
  return fitter.fit({start.begin(), start.end()});
}

namespace {

// What HumanShape can stretch: distances between positions of the Kinect's joints.
struct Lengths {
  double thigh, shin, upper_arm, forearm, torso, shoulders, hips;
};

// position: of a joint's name.
template <class Position>
Lengths lengths_of(const Position& position) {
  const auto both = [&](const char* from, const char* to) {
    double sum = 0;
    for (const std::string side : {"left_", "right_"})
      sum += length(position(side + from) - position(side + to));
    return sum / 2;
  };
  const auto across = [&](const std::string& name) {
    return length(position("left_" + name) - position("right_" + name));
  };
  const double torso = length(0.5 * (position("left_shoulder") + position("right_shoulder")) -
                              0.5 * (position("left_hip") + position("right_hip")));
  return {
      both("hip", "knee"), both("knee", "ankle"), both("shoulder", "elbow"), both("elbow", "wrist"), torso,
      across("shoulder"),  across("hip")};
}

Lengths lengths_in(const Skeleton& human, std::span<const float> pose) {
  const std::vector<Vec3> joints = human.joints(pose);
  return lengths_of([&](const std::string& name) { return marks_of(human, {&name, 1})[0].position(joints); });
}

void stretch_to(HumanShape& shape, const Lengths& wanted, const Lengths& now) {
  const auto scale = [](float& factor, double wanted_m, double now_m) {
    factor = static_cast<float>(std::clamp(double{factor} * wanted_m / std::max(now_m, 1e-3), 0.6, 1.6));
  };
  scale(shape.thigh, wanted.thigh, now.thigh);
  scale(shape.shin, wanted.shin, now.shin);
  scale(shape.upper_arm, wanted.upper_arm, now.upper_arm);
  scale(shape.forearm, wanted.forearm, now.forearm);
  scale(shape.torso, wanted.torso, now.torso);
  scale(shape.shoulders, wanted.shoulders, now.shoulders);
  scale(shape.hips, wanted.hips, now.hips);
}

}  // namespace

FittedHuman fit_human(std::span<const std::string> names, std::span<const Vec3> positions) {
  require(names.size() == positions.size(), names.size(), " names do not fit ", positions.size(),
          " positions");
  const Lengths found = lengths_of([&](const std::string& name) {
    const auto at = std::ranges::find(names, name);
    require(at != names.end() && is_finite(positions[static_cast<std::size_t>(at - names.begin())]),
            "the joint ", name, " is needed to fit a human");
    return Vec(positions[static_cast<std::size_t>(at - names.begin())]);
  });
  const Skeleton one_metre = make_human(1.0f);
  const Lengths usual = lengths_in(one_metre, one_metre.rest_pose());
  HumanShape shape;
  shape.height_m = static_cast<float>(std::clamp(
      (found.thigh + found.shin + found.torso) / (usual.thigh + usual.shin + usual.torso), 0.5, 2.5));
  // Some of the Kinect's joints lie beside those of the human: then a length depends on the pose, and a
  // factor changes more than one length. So both are found in turn, first at rest.
  constexpr int rounds = 4, stretches = 4;
  Skeleton human = make_human(shape);
  FittedPose start{human.rest_pose(), 0};
  for (int round = 0; round <= rounds; ++round) {
    for (int i = 0; i < stretches; ++i) {
      stretch_to(shape, found, lengths_in(human, start.pose));
      human = make_human(shape);
    }
    start = fit_pose(human, names, positions, round == 0 ? std::span<const float>() : start.pose);
  }
  return {std::move(human), std::move(start)};
}

}  // namespace triptych::capsule_likelihood
