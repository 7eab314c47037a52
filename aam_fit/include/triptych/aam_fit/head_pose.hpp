// The head's pose with six degrees of freedom, from the landmarks of a face and a mean face in metres.
//
// Axes, of the camera and of a head that faces it: x to the right of the image, y down, z away from the
// camera. The origin of the head is the point midway between the eyes; the origin of the camera its pinhole.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/shape.hpp>
#include <triptych/core/one_euro.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace triptych::aam_fit {

struct Point3 {
  double x = 0, y = 0, z = 0;
  friend bool operator==(const Point3&, const Point3&) = default;
};

// In pixels. Focal length: 1 to 10^6; the centre, where the optical axis passes: within 10^6.
struct PinholeCamera {
  double focal_px = 0, centre_x_px = 0, centre_y_px = 0;
  friend bool operator==(const PinholeCamera&, const PinholeCamera&) = default;
};
// A camera whose axis passes through the middle of its images. focal_px = 0: unknown, taken as the width, as
// of a horizontal angle of view of 53 degrees. A focal length that is wrong by some share makes the distance
// wrong by the same share, and the angles by little. InvalidArgument when an image has no pixels, or a number
// is out of range.
PinholeCamera camera_of(std::int64_t width, std::int64_t height, double focal_px = 0);

// The 68 landmarks of 300-W on the mean face of an adult, in metres: docs/method.md has the measures.
const std::array<Point3, 68>& mean_face_68();

struct HeadPoseOptions {
  // People's faces differ in length against their width: standard deviation of the factor between the y of a
  // face and that of the reference. The factor is estimated with the pose. 0: the reference is exact.
  // At most 1.
  double length_deviation = 0.06;
  // Of each landmark: 0 leaves it out. Empty: for the mean face 0 for the jaw's contour, whose landmarks lie
  // on other points of the head when it turns, 1/2 for the mouth and 1 elsewhere; for other references 1.
  std::span<const double> weights = {};
};

struct HeadPose {
  // camera = R head + translation.
  std::array<double, 9> camera_from_head{};      // R, row by row
  std::array<double, 4> quaternion{1, 0, 0, 0};  // the same as w, x, y, z
  double x_m = 0, y_m = 0, z_m = 0;              // translation: the point between the eyes

  // The same rotation in radians, as FaceParameters has it: yaw about the vertical axis, then pitch, then
  // roll in the image. Above 0 the nose points to the right of the image, up, and the head leans clockwise.
  double yaw = 0, pitch = 0, roll = 0;

  // 6 x 6, row by row: of yaw, pitch, roll (radians), x_m, y_m, z_m. From the derivatives of the landmarks
  // and the variance of what is left between them and the reference, which is taken as independent. It does
  // not contain what a wrong focal length or another size of the head than the mean (5 %) does to the
  // distance.
  std::array<double, 36> covariance{};
  double deviation(int parameter) const;  // the root of a diagonal element, 0 to 5

  double length_factor = 1;  // of the face, see HeadPoseOptions
  double error_px = 0;       // root of the weighted mean squared distance between landmarks and reference
  double error = 0;          // the same over face_size() of the landmarks
  bool converged = false;    // else the iterations ran out
};

// From 68 landmarks in the order of 300-W. Levenberg-Marquardt on the distances in the image, from the
// scaled orthographic pose; at most 50 iterations. It allocates nothing. InvalidArgument, naming the
// argument, unless there are 68 landmarks within 10^6 pixels that do not lie on a line and span a pixel, and
// the camera and the options are in range.
HeadPose estimate_head_pose(std::span<const Point> landmarks, const PinholeCamera& camera,
                            const HeadPoseOptions& options = {});
// From other landmarks, with a reference point in metres for each, in the axes above. InvalidArgument also
// when the counts differ, fewer than four points have a weight, or those lie in a plane.
HeadPose estimate_head_pose(std::span<const Point> landmarks, std::span<const Point3> reference,
                            const PinholeCamera& camera, const HeadPoseOptions& options = {});
// Of a fit with 68 landmarks; nothing unless it is found().
std::optional<HeadPose> estimate_head_pose(const Fit& fit, const PinholeCamera& camera,
                                           const HeadPoseOptions& options = {});

// Where a point of the head, in metres, is in the image. InvalidArgument when it is not in front of the
// camera.
Point project(const HeadPose& pose, const PinholeCamera& camera, const Point3& point);

// The speed that beta multiplies is in radians per second; of the distance, its change over itself per
// second.
struct PoseSmootherOptions {
  OneEuroOptions direction{.min_cutoff_hz = 1, .beta = 60};  // in which the head is seen: x / z and y / z
  OneEuroOptions distance{.min_cutoff_hz = 1, .beta = 20};
  OneEuroOptions rotation{.min_cutoff_hz = 1, .beta = 30};
};

// Smooths the poses of a video by One-Euro filters: still heads a lot, moving heads little.
class PoseSmoother {
 public:
  // InvalidArgument as OneEuro.
  explicit PoseSmoother(const PoseSmootherOptions& options = {});
  // The pose with smoothed rotation, angles and translation; seconds since the last one. InvalidArgument when
  // the pose is not finite or not in front of the camera, or, after the first call, seconds is not in (0,
  // OneEuro::max_seconds].
  HeadPose smooth(const HeadPose& pose, double seconds);
  // To be called when the face was lost.
  void reset() noexcept;

 private:
  std::array<OneEuro, 2> direction_;
  OneEuro distance_;
  std::array<OneEuro, 4> rotation_;
  std::optional<std::array<double, 4>> last_;
};

}  // namespace triptych::aam_fit
