#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/device_guard.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <memory>
#include <optional>

#include "aam_fit/fit/refine/made_up_patches.hpp"
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
  static const World world = make_patch_world({.kind = aam_fit::FeatureKind::gradient}, 4, 6, 2).world;
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

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
  const DeviceGuard guard(Device::cuda(0));
  const Stream stream;
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
  copy_to_device(std::span<const T>(values), buffer.span(), stream);
  stream.synchronize();
  return buffer;
}

// Makes the object wait for another stream, before each input in device memory.
template <class Object>
std::function<void()> waiting(const std::shared_ptr<Object>& object, const Device& device) {
  struct Other {
    Stream stream;
    Event event{Timing::off};
  };
  const DeviceGuard guard(device);
  return [object, other = std::make_shared<Other>()] {
    other->event.record(other->stream);
    object->wait(other->event);
  };
}

CudaObject make_device_fitter(const Device& device) {
  const auto face_there = [](int frame) {
    static const DeviceBuffer<Grey8> pixels = on_device(face_world().frame.pixels);
    return aam_fit::DeviceFace{{pixels.data(), face_world().frame.width, face_world().frame.height},
                               face(frame).start};
  };
  face_there(0);  // the copy is not a part of the object's life
  auto fitter = std::make_shared<aam_fit::Fitter>(
      face_world().model, aam_fit::FitterOptions{.max_width = 320, .max_height = 260, .max_faces = 3},
      device);
  const auto wait = waiting(fitter, device);
  const auto step = [=](int i) {
    wait();
    Values values;
    for (const aam_fit::Fit& fit : fitter->step(std::vector{face_there(i), face_there(i + 1)}))
      append(values, fit);
    append(values, fitter->step(face_there(i)));
    return values;
  };
  return {step,
          [=](int i) {
            wait();
            fitter->submit(face_there(i));
          },
          [=] { return values_of(fitter->next()); }, [=] { fitter->submit(aam_fit::DeviceFace{}); }};
}

// Each step is a whole batch and a part of one.
CudaObject make_batch_fitter(const Device& device) {
  auto fitter = std::make_shared<aam_fit::Fitter>(
      face_world().model, aam_fit::FitterOptions{.max_width = 320, .max_height = 260, .max_faces = 2},
      device);
  const auto step = [=](int i) {
    Values values;
    for (const aam_fit::Fit& fit : fitter->step(std::vector{face(i), face(i + 1), face(i + 2)}))
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

skin_tracker::TrackerOptions tracker_options(bool gated) {
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
  return options;
}
constexpr skin_tracker::LinearFilter skin_filter{0.012, -0.004, -0.006, -0.3};

Values values(const skin_tracker::TrackedHead& head) {
  return {head.x_px,
          head.y_px,
          head.area,
          head.score,
          head.distance_m,
          static_cast<double>(head.status),
          double(head.window.x),
          double(head.window.y),
          static_cast<double>(head.frame)};
}

CudaObject make_device_tracker(const Device& device) {
  using namespace skin_tracker;
  const auto frame = [](int i) {
    static const std::vector<DeviceBuffer<Rgb8>> frames = [] {
      std::vector<DeviceBuffer<Rgb8>> made;
      for (const auto& pixels : head_frames().pixels) made.push_back(on_device(pixels));
      return made;
    }();
    return DeviceFrame(DeviceImageView<const Rgb8>(frames[static_cast<std::size_t>(i)].data(),
                                                   HeadFrames::width, HeadFrames::height));
  };
  frame(0);
  auto tracker = std::make_shared<Tracker>(skin_filter, tracker_options(true), device);
  const auto wait = waiting(tracker, device);
  return {[=](int i) {
            wait();
            return values(tracker->step(frame(i)));
          },
          [=](int i) {
            wait();
            tracker->submit(frame(i));
          },
          [=] { return values(tracker->next()); }, [=] { tracker->step(DeviceFrame()); }};
}

CudaObject make_tracker(const Device& device, bool gated) {
  using namespace skin_tracker;
  auto tracker = std::make_shared<Tracker>(skin_filter, tracker_options(gated), device);
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

Values values(const capsule_likelihood::Estimate& estimate) {
  Values all(estimate.pose.begin(), estimate.pose.end());
  all.insert(all.end(), {estimate.log_likelihood, estimate.score, estimate.effective_samples});
  return all;
}

capsule_likelihood::FilterOptions filter_options() { return {.samples = 32, .layers = 2, .max_points = 300}; }

std::shared_ptr<capsule_likelihood::ParticleFilter> started_filter(
    const Device& device, const capsule_likelihood::FilterOptions& options) {
  using namespace capsule_likelihood;
  auto filter = std::make_shared<ParticleFilter>(person().skeleton, options, device);
  filter->start(person().motion.pose(0));
  return filter;
}

CudaObject make_device_filter(const Device& device) {
  using namespace capsule_likelihood;
  const auto cloud = [](int i) -> DeviceCloudView {
    static const std::vector<DeviceBuffer<Vec3>> clouds = [] {
      std::vector<DeviceBuffer<Vec3>> made;
      for (const auto& points : person().clouds) made.push_back(on_device(points));
      return made;
    }();
    return {clouds[static_cast<std::size_t>(i)].span()};
  };
  cloud(0);
  const auto filter = started_filter(device, filter_options());
  const auto wait = waiting(filter, device);
  return {[=](int i) {
            wait();
            return values(filter->step(cloud(i)));
          },
          [=](int i) {
            wait();
            filter->submit(cloud(i));
          },
          [=] { return values(filter->next()); },
          [=] {
            const DeviceSpan<const Vec3> points = cloud(0).points;
            filter->step({points, DeviceSpan<const float>(reinterpret_cast<const float*>(points.data()), 1)});
          },
          [=] { filter->start(person().motion.pose(0)); }};
}

CudaObject make_filter(const Device& device, const capsule_likelihood::FilterOptions& options) {
  using namespace capsule_likelihood;
  const auto filter = started_filter(device, options);
  const auto cloud = [](int i) -> CloudView { return person().clouds[static_cast<std::size_t>(i)]; };
  return {[=](int i) { return values(filter->step(cloud(i))); }, [=](int i) { filter->submit(cloud(i)); },
          [=] { return values(filter->next()); },
          [=] {
            filter->step(std::vector<Vec3>(301, Vec3{0, 0, 3}));
          },
          [=] { filter->start(person().motion.pose(0)); }};
}

// A rank of its own: the sums of a layer leave the GPU and come back.
CudaObject make_shared_filter(const Device& device, capsule_likelihood::FilterSplit split) {
  capsule_likelihood::FilterOptions options = filter_options();
  options.exchange = make_single_exchange();
  options.split = split;
  return make_filter(device, options);
}

}  // namespace

const std::vector<CudaObjectKind>& cuda_object_kinds() {
  static const std::vector<CudaObjectKind> kinds = {
      {"Fitter", make_fitter},
      {"Fitter in batches", make_batch_fitter, 4},
      {"FaceTracker", make_face_tracker},
      {"Tracker", [](const Device& device) { return make_tracker(device, false); }},
      {"gated Tracker", [](const Device& device) { return make_tracker(device, true); }},
      {"ParticleFilter", [](const Device& device) { return make_filter(device, filter_options()); }},
      {"ParticleFilter of shared samples",
       [](const Device& device) {
         return make_shared_filter(device, capsule_likelihood::FilterSplit::samples);
       }},
      {"ParticleFilter of shared cameras",
       [](const Device& device) {
         return make_shared_filter(device, capsule_likelihood::FilterSplit::cameras);
       }},
      {"Fitter of device frames", make_device_fitter},
      {"Tracker of device frames", make_device_tracker},
      {"ParticleFilter of device clouds", make_device_filter}};
  return kinds;
}

}  // namespace triptych::test
