#include <triptych/aam_fit/head_pose.hpp>
#include <triptych/core/error.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pose/pose_angles.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int max_iterations = 50;
constexpr double max_px = 1e6;
// What landmarks differ by from a mean face, in face sizes: the scale on which length_deviation is weighed.
constexpr double landmark_deviation = 0.02;

using Vector7 = Eigen::Matrix<double, 7, 1>;
using Matrix7 = Eigen::Matrix<double, 7, 7>;

struct Problem {
  std::span<const Point> landmarks;
  std::span<const Point3> reference;
  std::span<const double> weights;  // empty: 1
  PinholeCamera camera;
  double unit_px;  // of residuals
  double length_deviation;

  double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
  // Of the image plane at distance 1.
  Eigen::Vector2d seen(std::size_t i) const {
    return {(landmarks[i].x - camera.centre_x_px) / camera.focal_px,
            (landmarks[i].y - camera.centre_y_px) / camera.focal_px};
  }
};

// The seven parameters: a rotation (a small one is applied from the left), a translation, the length factor.
struct State {
  Eigen::Quaterniond rotation;
  Eigen::Vector3d translation;
  double length_factor = 1;

  State moved(const Vector7& by) const {
    const double angle = by.head<3>().norm();
    const Eigen::Vector3d axis = angle > 0 ? Eigen::Vector3d(by.head<3>() / angle) : Eigen::Vector3d::UnitX();
    return {(Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis)) * rotation).normalized(),
            translation + by.segment<3>(3), length_factor + by[6]};
  }
};

void check(const Problem& p) {
  const PinholeCamera& camera = p.camera;
  require(camera.focal_px >= 1 && camera.focal_px <= max_px,
          "camera: the focal length focal_px must be 1 to ", max_px, " pixels, not ", camera.focal_px);
  require(std::abs(camera.centre_x_px) <= max_px && std::abs(camera.centre_y_px) <= max_px,
          "camera: the centre ", camera.centre_x_px, ", ", camera.centre_y_px, " must be within ", max_px,
          " pixels");
  require(p.length_deviation >= 0 && p.length_deviation <= 1, "length_deviation must be 0 to 1, not ",
          p.length_deviation);
  require(p.reference.size() == p.landmarks.size(), "landmarks: there are ", p.landmarks.size(), " for the ",
          p.reference.size(), " points of the reference");
  require(p.weights.empty() || p.weights.size() == p.landmarks.size(), "weights: there are ",
          p.weights.size(), " for ", p.landmarks.size(), " landmarks");
  std::size_t used = 0;
  for (std::size_t i = 0; i < p.landmarks.size(); ++i) {
    const Point at = p.landmarks[i];
    const Point3 point = p.reference[i];
    require(std::abs(at.x) <= max_px && std::abs(at.y) <= max_px, "landmarks: number ", i, " at ", at.x, ", ",
            at.y, " is not within ", max_px, " pixels");
    require(std::abs(point.x) <= 1e3 && std::abs(point.y) <= 1e3 && std::abs(point.z) <= 1e3,
            "reference: point ", i, " at ", point.x, ", ", point.y, ", ", point.z,
            " is not within 1000 metres");
    require(p.weight(i) >= 0 && p.weight(i) <= 1e3, "weights: number ", i, " must be 0 to 1000, not ",
            p.weight(i));
    used += p.weight(i) > 0 ? 1U : 0U;
  }
  require(used >= 4, "landmarks: a pose needs 4 with a weight, not ", used);
}

// The pose whose scaled orthographic projection is the nearest to the best affine one.
State orthographic_pose(const Problem& p) {
  double sum = 0;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  Eigen::Vector2d middle_seen = Eigen::Vector2d::Zero();
  for (std::size_t i = 0; i < p.landmarks.size(); ++i) {
    const double w = p.weight(i);
    sum += w;
    middle += w * Eigen::Vector3d(p.reference[i].x, p.reference[i].y, p.reference[i].z);
    middle_seen += w * p.seen(i);
  }
  middle /= sum;
  middle_seen /= sum;
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  Eigen::Matrix<double, 2, 3> across = Eigen::Matrix<double, 2, 3>::Zero();
  double depth = 0;  // radius of the reference
  for (std::size_t i = 0; i < p.landmarks.size(); ++i) {
    const double w = p.weight(i);
    if (w == 0) continue;
    const Eigen::Vector3d from =
        Eigen::Vector3d(p.reference[i].x, p.reference[i].y, p.reference[i].z) - middle;
    scatter += w * from * from.transpose();
    across += w * (p.seen(i) - middle_seen) * from.transpose();
    depth = std::max(depth, from.norm());
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> spread(scatter);
  require(spread.eigenvalues()[0] > 1e-5 * spread.eigenvalues()[2],
          "reference: its points lie in a plane, which does not determine a pose");
  const Eigen::Matrix<double, 2, 3> affine = across * spread.eigenvectors() *
                                             spread.eigenvalues().cwiseInverse().asDiagonal() *
                                             spread.eigenvectors().transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> gram(affine * affine.transpose());
  require(gram.eigenvalues()[0] > 1e-8 * gram.eigenvalues()[1],
          "landmarks: they lie on a line, which does not determine a pose");
  const Eigen::Matrix<double, 2, 3> rows = gram.operatorInverseSqrt() * affine;
  Eigen::Matrix3d rotation;
  rotation << rows, rows.row(0).cross(rows.row(1));
  const double scale = gram.eigenvalues().cwiseSqrt().mean();
  // No point may be behind the camera.
  const double z = std::max(1 / scale, 1.5 * depth);
  const Eigen::Quaterniond turned(rotation);
  return {turned, Eigen::Vector3d(z * middle_seen[0], z * middle_seen[1], z) - turned * middle};
}

// The sum of squares; infinite when a point is not in front of the camera. With its normal equations.
double evaluate(const Problem& p, const State& state, Matrix7* normal = nullptr,
                Vector7* gradient = nullptr) {
  const double scale = p.camera.focal_px / p.unit_px;
  const Eigen::Matrix3d rotation = state.rotation.toRotationMatrix();
  double sum = 0;
  if (normal != nullptr) {
    normal->setZero();
    gradient->setZero();
  }
  for (std::size_t i = 0; i < p.landmarks.size(); ++i) {
    const double w = p.weight(i);
    if (w == 0) continue;
    const Point3& at = p.reference[i];
    const Eigen::Vector3d turned = rotation * Eigen::Vector3d(at.x, at.y * state.length_factor, at.z);
    const Eigen::Vector3d in_camera = turned + state.translation;
    if (!(in_camera.z() > 0)) return std::numeric_limits<double>::infinity();
    const Eigen::Vector2d here = in_camera.head<2>() / in_camera.z();
    const Eigen::Vector2d residual = scale * (here - p.seen(i));
    sum += w * residual.squaredNorm();
    if (normal == nullptr) continue;
    Eigen::Matrix<double, 2, 3> by_point;
    by_point << 1, 0, -here[0], 0, 1, -here[1];
    by_point *= scale / in_camera.z();
    Eigen::Matrix<double, 2, 7> jacobian;
    jacobian.row(0).head<3>() = turned.cross(by_point.row(0).transpose()).transpose();
    jacobian.row(1).head<3>() = turned.cross(by_point.row(1).transpose()).transpose();
    jacobian.middleCols<3>(3) = by_point;
    jacobian.col(6) = by_point * rotation.col(1) * at.y;
    normal->noalias() += w * jacobian.transpose() * jacobian;
    gradient->noalias() += w * jacobian.transpose() * residual;
  }
  const double excess = state.length_factor - 1;
  if (p.length_deviation > 0) {
    const double certainty = 1 / (p.length_deviation * p.length_deviation);
    sum += certainty * excess * excess;
    if (normal != nullptr) {
      (*normal)(6, 6) += certainty;
      (*gradient)[6] += certainty * excess;
    }
  } else if (normal != nullptr) {
    normal->row(6).setZero();
    normal->col(6).setZero();
    (*normal)(6, 6) = 1;
    (*gradient)[6] = 0;
  }
  return sum;
}

// Scales the parameters so that the diagonal of the normal matrix is 1.
Vector7 equalise(Matrix7& normal) {
  Vector7 scale = normal.diagonal().cwiseSqrt().cwiseInverse();
  normal = scale.asDiagonal() * normal * scale.asDiagonal();
  return scale;
}

}  // namespace

PinholeCamera camera_of(std::int64_t width, std::int64_t height, double focal_px) {
  const auto wide = static_cast<double>(width), high = static_cast<double>(height);
  require(wide >= 1 && high >= 1 && wide <= max_px && high <= max_px, "an image of ", width, " x ", height,
          " pixels has no camera: width and height must be 1 to ", max_px);
  require(focal_px == 0 || (focal_px >= 1 && focal_px <= max_px), "focal_px must be 0 or 1 to ", max_px,
          " pixels, not ", focal_px);
  return {focal_px == 0 ? wide : focal_px, (wide - 1) / 2, (high - 1) / 2};
}

HeadPose estimate_head_pose(std::span<const Point> landmarks, std::span<const Point3> reference,
                            const PinholeCamera& camera, const HeadPoseOptions& options) {
  Problem problem{landmarks, reference, options.weights, camera, 0, options.length_deviation};
  check(problem);
  const double size = face_size(landmarks);
  require(size >= 1, "landmarks: their box is smaller than a pixel, or they lie on a line");
  problem.unit_px = landmark_deviation * size;
  State state = orthographic_pose(problem);
  Matrix7 normal;
  Vector7 gradient;
  HeadPose pose;
  double sum = evaluate(problem, state, &normal, &gradient), damping = 1e-4;
  for (int k = 0; k < max_iterations && !pose.converged; ++k) {
    Matrix7 scaled = normal;
    const Vector7 scale = equalise(scaled);
    scaled.diagonal().array() += damping;
    const Vector7 step = -(scale.asDiagonal() * scaled.llt().solve(scale.cwiseProduct(gradient)));
    // In units of the landmarks' deviation: far below what rounding and they leave uncertain.
    const bool small = step.dot(normal * step) <= 1e-12 * (1 + sum);
    const State next = state.moved(step);
    Matrix7 next_normal;
    Vector7 next_gradient;
    const double next_sum = evaluate(problem, next, &next_normal, &next_gradient);
    if (next_sum <= sum) {
      state = next;
      sum = next_sum;
      normal = next_normal;
      gradient = next_gradient;
      damping = std::max(damping / 10, 1e-12);
    } else {
      damping *= 10;
    }
    pose.converged = small;
  }

  double weights = 0, used = 0;
  for (std::size_t i = 0; i < landmarks.size(); ++i) {
    weights += problem.weight(i);
    used += problem.weight(i) > 0 ? 1 : 0;
  }
  const double excess = (state.length_factor - 1) / std::max(options.length_deviation, 1e-300);
  const double of_landmarks = sum - (options.length_deviation > 0 ? excess * excess : 0);
  const Vector7 scale = equalise(normal);
  const Matrix7 covariance = sum / (2 * used - 6) * scale.asDiagonal() *
                             normal.llt().solve(Matrix7::Identity()) * scale.asDiagonal();
  require(covariance.allFinite() && covariance.diagonal().minCoeff() >= 0,
          "landmarks: they do not determine a pose");
  pose.length_factor = state.length_factor;
  pose.error_px = problem.unit_px * std::sqrt(std::max(0.0, of_landmarks) / weights);
  pose.error = pose.error_px / size;
  pose.x_m = state.translation.x();
  pose.y_m = state.translation.y();
  pose.z_m = state.translation.z();
  set_rotation(pose, state.rotation);
  Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> result(pose.covariance.data());
  Eigen::Matrix<double, 6, 6> to_angles = Eigen::Matrix<double, 6, 6>::Identity();
  to_angles.topLeftCorner<3, 3>() = angles_by_rotation(pose);
  result = to_angles * covariance.topLeftCorner<6, 6>() * to_angles.transpose();
  return pose;
}

HeadPose estimate_head_pose(std::span<const Point> landmarks, const PinholeCamera& camera,
                            const HeadPoseOptions& options) {
  static constexpr std::array<double, 68> weights_of_68 = [] {
    std::array<double, 68> all{};
    for (std::size_t i = 17; i < 68; ++i) all[i] = i < 48 ? 1 : 0.5;
    return all;
  }();
  require(landmarks.size() == 68, "landmarks: expected the 68 of 300-W, not ", landmarks.size(),
          "; other landmarks need reference points of their own");
  HeadPoseOptions with_weights = options;
  if (with_weights.weights.empty()) with_weights.weights = weights_of_68;
  return estimate_head_pose(landmarks, mean_face_68(), camera, with_weights);
}

std::optional<HeadPose> estimate_head_pose(const Fit& fit, const PinholeCamera& camera,
                                           const HeadPoseOptions& options) {
  if (!fit.found()) return {};
  return estimate_head_pose(fit.landmarks, camera, options);
}

double HeadPose::deviation(int parameter) const {
  require(parameter >= 0 && parameter < 6, "a pose has the parameters 0 to 5, not ", parameter);
  return std::sqrt(covariance[static_cast<std::size_t>(parameter) * 7]);
}

Point project(const HeadPose& pose, const PinholeCamera& camera, const Point3& point) {
  const auto& r = pose.camera_from_head;
  const double x = r[0] * point.x + r[1] * point.y + r[2] * point.z + pose.x_m,
               y = r[3] * point.x + r[4] * point.y + r[5] * point.z + pose.y_m,
               z = r[6] * point.x + r[7] * point.y + r[8] * point.z + pose.z_m;
  require(z > 0, "the point ", point.x, ", ", point.y, ", ", point.z, " is not in front of the camera");
  return {camera.centre_x_px + camera.focal_px * x / z, camera.centre_y_px + camera.focal_px * y / z};
}

}  // namespace triptych::aam_fit
