#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <memory>
#include <optional>

#include "aam_fit/fitter/made_up_world.hpp"
#include "faults/cuda_objects.hpp"

namespace triptych::test {

namespace {

void append(Values& values, const aam_fit::Fit& fit) {
  for (const aam_fit::Point p : fit.landmarks) values.insert(values.end(), {p.x, p.y});
  values.insert(values.end(), fit.parameters.begin(), fit.parameters.end());
  values.insert(values.end(), {fit.error, fit.score, static_cast<double>(fit.status)});
}
Values values_of(const aam_fit::Fit& fit) {
  Values values;
  append(values, fit);
  return values;
}

const World& face_world() {
  static const World world = make_world({.kind = aam_fit::FeatureKind::gradient}, 4, 11);
  return world;
}
aam_fit::Face face(int frame) {
  const World& world = face_world();
  return {world.frame.view(), displaced(world.truth, 0.01 * frame, 0.02, 1)};
}

CudaObject make_fitter(const Device& device) {
  auto fitter = std::make_shared<aam_fit::Fitter>(
      face_world().model, aam_fit::FitterOptions{.max_width = 320, .max_height = 260}, device);
  return {[=](int i) { return values_of(fitter->step(face(i))); }, [=](int i) { fitter->submit(face(i)); },
          [=] { return values_of(fitter->next()); }, [=] { fitter->submit(aam_fit::Face{}); }};
}

CudaObject make_batch_fitter(const Device& device) {
  auto fitter = std::make_shared<aam_fit::Fitter>(
      face_world().model, aam_fit::FitterOptions{.max_width = 320, .max_height = 260, .max_faces = 3},
      device);
  const auto step = [=](int i) {
    Values values;
    for (const aam_fit::Fit& fit : fitter->step(std::vector{face(i), face(i + 1), face(i + 2), face(i + 3)}))
      append(values, fit);
    return values;
  };
  return {step, [=](int i) { fitter->submit(face(i)); }, [=] { return values_of(fitter->next()); },
          [=] {
            fitter->step(std::vector{face(0), aam_fit::Face{}});
          }};
}

CudaObject make_face_tracker(const Device& device) {
  auto tracker = std::make_shared<aam_fit::FaceTracker>(
      face_world().model, aam_fit::FaceTrackerOptions{.fitter = {.max_width = 320, .max_height = 260}},
      device);
  const auto box = [](int i) {
    return i == 0 ? std::optional(aam_fit::bounds(face_world().truth)) : std::nullopt;
  };
  return {[=](int i) { return values_of(tracker->step(face_world().frame.view(), box(i)).fit); },
          [=](int i) { tracker->submit(face_world().frame.view(), box(i)); },
          [=] { return values_of(tracker->next().fit); }, [=] { tracker->step(ImageView<const Grey8>()); }};
}

struct HeadFrames {
  static constexpr int width = 160, height = 120;
  std::vector<std::vector<Rgb8>> pixels;
  Box box;
  HeadFrames() {
    const skin_tracker::SyntheticScene scene(
        {.width = width, .height = height, .frames = cuda_object_frames});
    box = scene.truth(0).box;
    for (int i = 0; i < cuda_object_frames; ++i) {
      pixels.emplace_back(width * height);
      scene.render(i, ImageView<Rgb8>(pixels.back().data(), width, height), 1);
    }
  }
  skin_tracker::Frame frame(int i) const {
    return skin_tracker::Frame(
        ImageView<const Rgb8>(pixels[static_cast<std::size_t>(i)].data(), width, height));
  }
};
const HeadFrames& head_frames() {
  static const HeadFrames frames;
  return frames;
}

CudaObject make_tracker(const Device& device, bool gated) {
  using namespace skin_tracker;
  TrackerOptions options;
  options.max_width = HeadFrames::width;
  options.max_height = HeadFrames::height;
  options.gate = gated;
  if (gated) {
    const Box& box = head_frames().box;
    options.start = PixelBox{static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.width),
                             static_cast<int>(box.height)};
  }
  auto tracker = std::make_shared<Tracker>(LinearFilter{0.012, -0.004, -0.006, -0.3}, options, device);
  const auto values = [](const TrackedHead& head) {
    return Values{head.x_px,
                  head.y_px,
                  head.area,
                  head.score,
                  head.distance_m,
                  static_cast<double>(head.status),
                  double(head.window.x),
                  double(head.window.y),
                  static_cast<double>(head.frame)};
  };
  return {[=](int i) { return values(tracker->step(head_frames().frame(i))); },
          [=](int i) { tracker->submit(head_frames().frame(i)); }, [=] { return values(tracker->next()); },
          [=] { tracker->step(Frame()); }};
}

struct Person {
  capsule_likelihood::Skeleton skeleton = capsule_likelihood::make_human(1.75f);
  capsule_likelihood::Motion motion;
  std::vector<std::vector<capsule_likelihood::Vec3>> clouds;
  Person() : motion(capsule_likelihood::make_walk(skeleton, {.frames = cuda_object_frames})) {
    capsule_likelihood::place_in_view(skeleton, motion);
    for (int i = 0; i < cuda_object_frames; ++i)
      clouds.push_back(capsule_likelihood::render_points(skeleton.capsules(motion.pose(i)), {.points = 300}));
  }
};
const Person& person() {
  static const Person instance;
  return instance;
}

CudaObject make_filter(const Device& device) {
  using namespace capsule_likelihood;
  auto filter = std::make_shared<ParticleFilter>(
      person().skeleton, FilterOptions{.samples = 32, .layers = 2, .max_points = 300}, device);
  filter->start(person().motion.pose(0));
  const auto values = [](const Estimate& estimate) {
    Values all(estimate.pose.begin(), estimate.pose.end());
    all.insert(all.end(), {estimate.log_likelihood, estimate.score, estimate.effective_samples});
    return all;
  };
  const auto cloud = [](int i) -> CloudView { return person().clouds[static_cast<std::size_t>(i)]; };
  return {[=](int i) { return values(filter->step(cloud(i))); }, [=](int i) { filter->submit(cloud(i)); },
          [=] { return values(filter->next()); },
          [=] {
            filter->step(std::vector<Vec3>(301, Vec3{0, 0, 3}));
          },
          [=] { filter->start(person().motion.pose(0)); }};
}

}  // namespace

const std::vector<CudaObjectKind>& cuda_object_kinds() {
  static const std::vector<CudaObjectKind> kinds = {
      {"Fitter", make_fitter},
      {"Fitter in batches", make_batch_fitter},
      {"FaceTracker", make_face_tracker},
      {"Tracker", [](const Device& device) { return make_tracker(device, false); }},
      {"gated Tracker", [](const Device& device) { return make_tracker(device, true); }},
      {"ParticleFilter", make_filter}};
  return kinds;
}

}  // namespace triptych::test
