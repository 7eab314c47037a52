// The three objects on several threads at the same time: each gives the bits that it gives alone.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "testing/gpu.hpp"

namespace triptych {

namespace {

constexpr int frames = 4;

using Values = std::vector<double>;

Values track_head(const Device& device) {
  using namespace skin_tracker;
  const SyntheticScene scene({.width = 160, .height = 120, .frames = frames});
  std::vector<Rgb8> pixels(160 * 120);
  const ImageView<Rgb8> image(pixels.data(), 160, 120);
  scene.render(0, image, 1);
  Tracker tracker = Tracker::from_box(Frame(image), scene.truth(0).box, {}, device);
  Values values;
  for (int i = 0; i < frames; ++i) {
    scene.render(i, image, 1);
    const TrackedHead head = tracker.step(Frame(image));
    values.insert(values.end(), {head.x_px, head.y_px, head.area, head.score});
  }
  return values;
}

Values follow_person(const Device& device) {
  using namespace capsule_likelihood;
  const Skeleton skeleton = make_human(1.75f);
  Motion motion = make_walk(skeleton, {.frames = frames});
  place_in_view(skeleton, motion);
  ParticleFilter filter(skeleton, {.samples = 32, .layers = 2, .max_points = 300}, device);
  filter.start(motion.pose(0));
  Values values;
  for (int i = 0; i < frames; ++i) {
    const Estimate estimate = filter.step(render_points(skeleton.capsules(motion.pose(i)), {.points = 300}));
    values.insert(values.end(), estimate.pose.begin(), estimate.pose.end());
  }
  return values;
}

const aam_fit::Model& face_model() {
  using namespace aam_fit;
  static const Model model = [] {
    std::vector<Example> faces;
    faces.reserve(8);
    for (int i = 0; i < 8; ++i) faces.push_back(render_face(random_face(7, i), 256, 256));
    return train(faces, {});
  }();
  return model;
}

Values fit_faces(const Device& device) {
  using namespace aam_fit;
  Fitter fitter(face_model(), {.max_width = 256, .max_height = 256}, device);
  Values values;
  for (int i = 0; i < frames; ++i) {
    const Example face = render_face(random_face(7, 1000 + i), 256, 256);
    const Fit fit =
        fitter.step({face.image.view(), start_in_box(face_model(), bounds(face.landmarks), 256, 256)});
    values.insert(values.end(), fit.parameters.begin(), fit.parameters.end());
  }
  return values;
}

void expect_same_together(const Device& device) {
  face_model();
  const std::function<Values(const Device&)> work[] = {track_head, follow_person, fit_faces};
  std::vector<Values> alone;
  for (const auto& one : work) alone.push_back(one(device));
  constexpr std::size_t copies = 2;  // of each object, so that objects of one kind meet as well
  std::vector<Values> together(copies * std::size(work));
  std::vector<std::string> errors(together.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < together.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          together[i] = work[i % std::size(work)](device);
        } catch (const std::exception& error) {
          errors[i] = error.what();
        }
      });
    }
  }
  for (std::size_t i = 0; i < together.size(); ++i) {
    EXPECT_EQ(errors[i], "") << "object " << i;
    EXPECT_EQ(together[i], alone[i % std::size(work)]) << "object " << i;
  }
}

TEST(ObjectsOnThreads, GiveTheBitsThatTheyGiveAlone) { expect_same_together(Device::cpu(2)); }

TEST(ObjectsOnThreads, GiveTheBitsThatTheyGiveAloneOnAGpu) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  expect_same_together(Device::cuda(0));
}

}  // namespace

}  // namespace triptych
