// Runs each object for very many frames; see --help.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "soak/soak.hpp"

namespace triptych::soak {

namespace {

constexpr int cycle = 30;  // inputs

// A frame of the size that a webcam has; pinned when there is a GPU.
Json soak_skin_tracker(const Device& device, const Limits& limits) {
  using namespace skin_tracker;
  const SyntheticScene scene({.width = 640, .height = 480, .frames = cycle, .distractor = true});
  const std::int64_t bytes = std::int64_t{3} * 640 * 480;
  std::vector<Rgb8> pageable(static_cast<std::size_t>(device.is_cuda() ? 0 : cycle * bytes / 3));
  PinnedBuffer<Rgb8> pinned(device.is_cuda() ? cycle * bytes / 3 : 0);
  Rgb8* const pixels = device.is_cuda() ? pinned.data() : pageable.data();
  std::vector<Frame> frames;
  for (int i = 0; i < cycle; ++i) {
    const ImageView<Rgb8> image(pixels + i * bytes / 3, 640, 480);
    scene.render(i, image);
    frames.emplace_back(image);
  }
  Tracker tracker = Tracker::from_box(frames[0], scene.truth(0).box, {}, device);
  return soak(
      "skin_tracker::Tracker", tracker, frames, limits, [](Tracker& object) { object.reset(); },
      [](const TrackedHead& head) {
        const double values[] = {head.x_px, head.y_px, head.area, head.distance_m, head.score};
        return Digest().add(values, std::size(values)).value();
      });
}

// Few samples and layers, so that a million frames take minutes.
Json soak_particle_filter(const Device& device, const Limits& limits) {
  using namespace capsule_likelihood;
  const Skeleton skeleton = make_human(1.75f);
  Motion motion = make_walk(skeleton, {.frames = cycle});
  place_in_view(skeleton, motion);
  std::vector<std::vector<Vec3>> clouds;
  clouds.reserve(cycle);
  for (int i = 0; i < cycle; ++i)
    clouds.push_back(render_points(skeleton.capsules(motion.pose(i)), {.points = 1000}));
  const std::vector<CloudView> inputs(clouds.begin(), clouds.end());
  ParticleFilter filter(skeleton, {.samples = 128, .layers = 2, .max_points = 1000}, device);
  return soak(
      "capsule_likelihood::ParticleFilter", filter, inputs, limits,
      [&](ParticleFilter& object) {
        object.reset();
        object.start(motion.pose(0));
      },
      [](const Estimate& estimate) {
        return Digest()
            .add(estimate.pose.data(), estimate.pose.size())
            .add(&estimate.log_likelihood, 1)
            .value();
      });
}

Json soak_fitter(const Device& device, const Limits& limits) {
  using namespace aam_fit;
  std::vector<Example> examples;
  examples.reserve(40);
  for (int i = 0; i < 40; ++i) examples.push_back(render_face(random_face(7, i), 256, 256));
  TrainOptions options;
  options.mirror_points = mirror_of_68();
  // The fitter does the same with any model: one that is trained in seconds.
  options.deformations = 0;
  options.appearance_pixels = 0;
  options.face_classifier = false;
  const Model model = train(examples, options);
  std::vector<Example> seen;
  seen.reserve(cycle);
  for (int i = 0; i < cycle; ++i) seen.push_back(render_face(random_face(7, 1000 + i), 256, 256));
  std::vector<Face> faces;
  faces.reserve(cycle);
  for (const Example& face : seen)
    faces.push_back({face.image.view(), start_in_box(model, bounds(face.landmarks), 256, 256)});
  Fitter fitter(model, {.max_width = 256, .max_height = 256}, device);
  return soak(
      "aam_fit::Fitter", fitter, faces, limits, [](Fitter& object) { object.reset(); },
      [](const Fit& fit) {
        return Digest()
            .add(fit.landmarks.data(), fit.landmarks.size())
            .add(fit.parameters.data(), fit.parameters.size())
            .value();
      });
}

constexpr const char* help =
    R"(usage: soak [--frames N] [--seconds S] [--device D] [--out FILE] [skin|filter|fitter]...
Runs objects for N frames each (default 1000000), or S seconds when that is less, and prints a line of JSON for each: latency
quantiles, how much memory grew in the second half, and how many results differ in any bit from those of the first cycle of 30.
Ends with 1 when a result differs, or when memory grew: any on the device, more than 16 MB on the host.
)";

bool healthy(const Json& result) {
  return result["different_results"] == 0 && result["device_bytes_grown"].get<std::int64_t>() <= 0 &&
         result["host_bytes_grown"].get<std::int64_t>() < 16 << 20;
}

int run(int count, char** arguments) {
  Limits limits;
  Device device = Device::best();
  std::string out;
  std::vector<std::string_view> names;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&] {
      require(i + 1 < count, argument, " needs a value; see --help");
      return arguments[++i];
    };
    if (argument == "--help") {
      std::cout << help;
      return EXIT_SUCCESS;
    }
    if (argument == "--frames") {
      limits.frames = std::strtoll(value(), nullptr, 10);
      require(limits.frames > 0, "--frames must be at least 1");
    } else if (argument == "--seconds") {
      limits.seconds = std::strtod(value(), nullptr);
    } else if (argument == "--device") {
      device = Device::parse(value());
    } else if (argument == "--out") {
      out = value();
    } else {
      require(argument == "skin" || argument == "filter" || argument == "fitter", "unknown argument ",
              argument, "; see --help");
      names.push_back(argument);
    }
  }
  if (names.empty()) names = {"skin", "filter", "fitter"};
  Json results = Json::array();
  bool good = true;
  for (const std::string_view name : names) {
    results.push_back(name == "skin"     ? soak_skin_tracker(device, limits)
                      : name == "filter" ? soak_particle_filter(device, limits)
                                         : soak_fitter(device, limits));
    results.back()["device"] = device.describe();
    std::cout << results.back() << '\n';
    good = good && healthy(results.back());
  }
  if (!out.empty()) write_json(out, results);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

}  // namespace triptych::soak

int main(int count, char** arguments) try {
  return triptych::soak::run(count, arguments);
} catch (const triptych::Unavailable& error) {  // no GPU: 77 means skipped
  std::cerr << "soak: " << error.what() << '\n';
  return std::getenv("TRIPTYCH_REQUIRE_GPU") != nullptr ? EXIT_FAILURE : 77;
} catch (const std::exception& error) {
  std::cerr << "soak: " << error.what() << '\n';
  return EXIT_FAILURE;
}
