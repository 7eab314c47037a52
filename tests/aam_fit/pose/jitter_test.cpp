// A tracked face that keeps still in a noisy video, and one that moves: how much the landmarks and the pose
// jitter and lag, raw and smoothed. The figures of docs/performance.md.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/aam_fit/head_pose.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/clock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace triptych::aam_fit {
namespace {

constexpr double tick_s = 1.0 / 30, degree = std::numbers::pi / 180;
const PinholeCamera webcam = camera_of(256, 256);
const PinholeCamera far_camera{1e5, 128, 128};  // procedural faces are drawn without perspective

const Model& trained_model() {
  static const Model model = [] {
    std::vector<Example> faces;
    faces.reserve(120);
    for (int i = 0; i < 120; ++i) faces.push_back(render_face(random_face(1, i), 256, 256));
    TrainOptions options;
    options.mirror_points = mirror_of_68();
    options.deformations = 0;
    options.appearance_pixels = 0;
    options.face_classifier = false;
    return train(faces, options);
  }();
  return model;
}

// The first frame of a video starts at the true landmarks.
TrackedFace track(FaceTracker& tracker, const Example& picture, int frame) {
  return frame == 0 ? tracker.step(picture.image.view(), bounds(picture.landmarks))
                    : tracker.step(picture.image.view());
}

// The root of the mean squared deviation from the mean.
class Spread {
 public:
  void add(double value) {
    ++n_;
    const double step = value - mean_;
    mean_ += step / n_;
    sum_ += step * (value - mean_);
  }
  double rms() const { return std::sqrt(sum_ / n_); }

 private:
  double n_ = 0, mean_ = 0, sum_ = 0;
};

struct Jitter {
  Spread x, y, yaw, pitch, roll, z_m;
  void add(Point centre, const HeadPose& pose) {
    x.add(centre.x);
    y.add(centre.y);
    yaw.add(pose.yaw / degree);
    pitch.add(pose.pitch / degree);
    roll.add(pose.roll / degree);
    z_m.add(pose.z_m);
  }
  double centre() const { return std::hypot(x.rms(), y.rms()); }
  void print(const char* name) const {
    std::printf("%s: centre %.4f px, yaw %.3f, pitch %.3f, roll %.3f degrees, distance %.2f mm\n", name,
                centre(), yaw.rms(), pitch.rms(), roll.rms(), 1000 * z_m.rms());
  }
};

TEST(Jitter, AStillFaceInNoise) {
#ifdef TRIPTYCH_SANITIZED
  GTEST_SKIP() << "takes minutes under a sanitizer";
#endif
  FaceTracker tracker(trained_model(), {}, Device::cpu(1));
  FaceParameters face = random_face(2, 3);
  face.x_px = face.y_px = face.size_px = 128;
  face.noise = 4;
  PoseSmoother smoother;
  Jitter raw, smooth;
  Spread landmark_x, landmark_y;
  for (int frame = 0; frame < 240; ++frame) {
    face.x_px = 128 + 1e-9 * frame;  // other noise
    const Example picture = render_face(face, 256, 256);
    const TrackedFace tracked = track(tracker, picture, frame);
    ASSERT_TRUE(tracked.found()) << frame;
    const HeadPose pose = estimate_head_pose(tracked.fit.landmarks, webcam);
    const HeadPose smoothed = smoother.smooth(pose, tick_s);
    if (frame < 60) continue;
    raw.add(centre_of(tracked.fit.landmarks), pose);
    Shape model;
    for (const Point3& p : mean_face_68()) model.push_back(project(smoothed, webcam, p));
    smooth.add(centre_of(model), smoothed);
    landmark_x.add(tracked.fit.landmarks[36].x);
    landmark_y.add(tracked.fit.landmarks[36].y);
  }
  std::printf("an eye corner: %.4f px\n", std::hypot(landmark_x.rms(), landmark_y.rms()));
  raw.print("raw");
  smooth.print("smoothed");
  EXPECT_LT(raw.centre(), 0.1);
  EXPECT_LT(smooth.centre(), 0.05);
  EXPECT_LT(smooth.centre(), 0.6 * raw.centre());
  EXPECT_LT(smooth.yaw.rms(), 0.05);
  EXPECT_LT(smooth.pitch.rms(), 0.1);
  EXPECT_LT(smooth.z_m.rms(), 0.0005);
}

// The mean delay of the smoothed signal behind the raw one: the slope of their difference over the speed.
class Lag {
 public:
  void add(double raw, double smoothed) {
    if (started_) {
      const double speed = (raw - last_) / tick_s;
      product_ += speed * (raw - smoothed);
      squares_ += speed * speed;
    }
    last_ = raw;
    started_ = true;
  }
  double ms() const { return 1000 * product_ / squares_; }

 private:
  bool started_ = false;
  double last_ = 0, product_ = 0, squares_ = 0;
};

TEST(Jitter, AMovingFace) {
#ifdef TRIPTYCH_SANITIZED
  GTEST_SKIP() << "takes minutes under a sanitizer";
#endif
  FaceTracker tracker(trained_model(), {}, Device::cpu(1));
  PoseSmoother smoother;
  Lag yaw, x, z;
  for (int frame = 0; frame < 240; ++frame) {
    FaceParameters face = face_in_motion(1001, frame * tick_s);
    face.noise = 4;
    const Example picture = render_face(face, 256, 256);
    const TrackedFace tracked = track(tracker, picture, frame);
    ASSERT_TRUE(tracked.found()) << frame;
    const HeadPose pose = estimate_head_pose(tracked.fit.landmarks, webcam);
    const HeadPose smoothed = smoother.smooth(pose, tick_s);
    yaw.add(pose.yaw, smoothed.yaw);
    x.add(pose.x_m, smoothed.x_m);
    z.add(pose.z_m, smoothed.z_m);
  }
  std::printf("lag of yaw %.0f, x %.0f, z %.0f ms\n", yaw.ms(), x.ms(), z.ms());
  for (const Lag& lag : {yaw, x, z}) {
    EXPECT_GT(lag.ms(), 0);
    EXPECT_LT(lag.ms(), 50);
  }
}

// The poses of fits to people that the model has not seen.
TEST(Jitter, FittedFaces) {
#ifdef TRIPTYCH_SANITIZED
  GTEST_SKIP() << "takes minutes under a sanitizer";
#endif
  Fitter fitter(trained_model(), {}, Device::cpu(1));
  constexpr int faces = 60;
  double yaw = 0, pitch = 0, roll = 0, chi = 0;
  for (int number = 0; number < faces; ++number) {
    const FaceParameters face = random_face(2, number);
    const Example picture = render_face(face, 256, 256);
    const Fit fit = fitter.step(
        {picture.image.view(), start_in_box(fitter.model(), bounds(picture.landmarks), 256, 256)});
    const std::optional<HeadPose> pose = estimate_head_pose(fit, far_camera);
    ASSERT_TRUE(pose.has_value()) << number;
    yaw += std::pow(pose->yaw - face.yaw, 2) / faces;
    pitch += std::pow(pose->pitch - face.pitch, 2) / faces;
    roll += std::pow(pose->roll - face.roll, 2) / faces;
    chi += std::pow((pose->yaw - face.yaw) / pose->deviation(0), 2) / faces;
  }
  std::printf("rms of yaw %.2f, pitch %.2f, roll %.2f degrees; of yaw %.2f deviations\n",
              std::sqrt(yaw) / degree, std::sqrt(pitch) / degree, std::sqrt(roll) / degree, std::sqrt(chi));
  EXPECT_LT(std::sqrt(yaw), 4 * degree);
  EXPECT_LT(std::sqrt(pitch), 4.5 * degree);
  EXPECT_LT(std::sqrt(roll), 1.5 * degree);
}

// With the time of an estimate.
TEST(Jitter, EveryFaceConverges) {
  std::vector<Shape> faces;
  faces.reserve(100);
  for (int i = 0; i < 100; ++i) faces.push_back(render_face(random_face(5, i), 16, 16).landmarks);
  std::vector<double> us;
  for (int round = 0; round < 21; ++round) {
    const Stopwatch watch;
    for (const Shape& face : faces) EXPECT_TRUE(estimate_head_pose(face, webcam).converged);
    us.push_back(1e3 * watch.elapsed_ms() / 100);
  }
  std::sort(us.begin(), us.end());
  std::printf("%.1f us per estimate (median of 21 rounds; %.1f to %.1f)\n", us[10], us.front(), us.back());
}

}  // namespace
}  // namespace triptych::aam_fit
