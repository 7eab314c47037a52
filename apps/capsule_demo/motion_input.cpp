// Motions, synthetic or of a BVH file, seen by a virtual stereo camera.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/error.hpp>

#include <common/program.hpp>
#include <common/text.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "input.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;

namespace {

constexpr double wanted_rate_hz = 30;
constexpr float background_share = 1.0F / 3;

struct Moving {
  Skeleton skeleton;
  Motion motion;
  std::string origin;
  std::string note = {};  // a decision made for the user

  int frames() const { return static_cast<int>(motion.size()); }
  double rate_hz() const { return 1 / motion.frame_time_s; }
};

Moving synthetic(const Options& options) {
  constexpr int max_frames = 20000;  // the walk would lead too far away
  if (options.frames > max_frames)
    throw apps::UsageError("--frames " + std::to_string(options.frames) +
                           " is too long for the synthetic walk: at most " + std::to_string(max_frames));
  const Skeleton human = make_human(options.height_m > 0 ? static_cast<float>(options.height_m) : 1.75F);
  WalkOptions walk;
  if (options.frames > 0) walk.frames = options.frames;
  Motion motion = make_walk(human, walk);
  place_in_view(human, motion);
  return {human, std::move(motion), "a synthetic walk"};
}

// The farthest that a joint moves between two frames.
float largest_step_m(const Moving& motion, int from, int to) {
  const std::vector<Vec3> a = motion.skeleton.joints(motion.motion.pose(from));
  const std::vector<Vec3> b = motion.skeleton.joints(motion.motion.pose(to));
  float largest = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    largest = std::max(largest, std::hypot(a[j].x - b[j].x, a[j].y - b[j].y, a[j].z - b[j].z));
  return largest;
}

// Files often begin with an added pose (arms spread): between it and the next frame the body moves faster
// than a person can, and not again after that.
bool begins_with_added_pose(const Moving& motion) {
  if (motion.frames() < 3) return false;
  const float jump = largest_step_m(motion, 0, 1);
  constexpr float fastest_mps = 20;
  return jump > std::max(fastest_mps / static_cast<float>(motion.rate_hz()), 0.1F) &&
         jump > 5 * largest_step_m(motion, 1, 2);
}

Moving from_file(const Options& options) {
  const Bvh bvh = read_bvh(options.motion);
  const std::filesystem::path path = options.motion;
  if (bvh.frame_count() == 0) throw Error(options.motion + " holds no motion: it has 0 frames");
  const BvhScale scale = guess_scale(bvh);
  BvhSkeletonOptions body;
  body.metres_per_unit = scale.metres_per_unit;
  Moving motion{make_skeleton(bvh, body), {}, "the motion of " + path.filename().string()};
  motion.motion = poses_of(bvh, motion.skeleton, scale.metres_per_unit);
  const double rate = motion.rate_hz();

  int first = options.first;
  if (first < 0) {
    first = begins_with_added_pose(motion) ? 1 : 0;
    if (first == 1)
      motion.note = "frame 0 is a pose put before the motion: starting with frame 1 (--first 0 keeps it)";
  }
  if (first >= motion.frames()) {
    throw Error("--first " + std::to_string(first) + " is beyond " + options.motion + ", which has " +
                std::to_string(motion.frames()) + (motion.frames() == 1 ? " frame" : " frames"));
  }
  // Fixed joints keep the angles of a frame of the motion.
  body.fixed_at_frame = first;
  motion.skeleton = make_skeleton(bvh, body);
  const int every =
      options.every > 0 ? options.every : std::max(1, static_cast<int>(std::lround(rate / wanted_rate_hz)));
  Motion kept{.pose_size = motion.motion.pose_size, .frame_time_s = 1 / (rate / every)};
  for (int f = first; f < motion.frames() && (options.frames == 0 || kept.size() < options.frames);
       f += every)
    kept.push_back(motion.motion.pose(f));
  motion.motion = std::move(kept);
  ViewOptions view;
  view.yaw_rad = static_cast<float>(options.turn_deg * std::numbers::pi / 180);
  place_in_view(motion.skeleton, motion.motion, view);
  return motion;
}

class MotionInput : public Input {
 public:
  MotionInput(const Options& options, Moving motion)
      : options_(options), motion_(std::move(motion)), body_{motion_.skeleton, {}, "its own body"} {
    const auto start = motion_.motion.pose(0);
    body_.start.assign(start.begin(), start.end());
    for (const Joint& joint : motion_.skeleton.joints()) {
      reference_.names.push_back(joint.name);
      reference_.parents.push_back(joint.parent);
    }
  }

  bool next(CloudFrame& frame) override {
    if (at_ == motion_.frames()) return false;
    const std::span<const float> pose = motion_.motion.pose(at_);
    frame.truth = motion_.skeleton.joints(pose);
    RenderOptions render;
    render.points = options_.points;
    render.noise_m = static_cast<float>(options_.noise_m);
    render.outliers = static_cast<float>(options_.outliers);
    render.background = options_.background ? background_share * (1 - render.outliers) : 0;
    render.seed = options_.seed + 7919 * static_cast<std::uint64_t>(at_);
    frame.points = render_points(motion_.skeleton.capsules(pose), render);
    frame.sigma_m.clear();
    ++at_;
    return true;
  }
  int count() const override { return motion_.frames(); }
  double frames_per_second() const override { return motion_.rate_hz(); }
  std::string describe() const override {
    return motion_.origin + apps::text(" (%d frames at %.4g Hz%s%s)", motion_.frames(), motion_.rate_hz(),
                                       motion_.note.empty() ? "" : "; ", motion_.note.c_str());
  }
  const KnownBody* body() const override { return &body_; }
  const Reference* reference() const override { return &reference_; }

 private:
  Options options_;
  Moving motion_;
  KnownBody body_;
  Reference reference_;
  int at_ = 0;
};

}  // namespace

std::unique_ptr<Input> open_motion(const Options& options) {
  return std::make_unique<MotionInput>(options,
                                       options.is_synthetic() ? synthetic(options) : from_file(options));
}

}  // namespace triptych::capsule_demo
