// Prints a digest of the results of each object for synthetic inputs, one a line: builds with other options
// must print the same lines. The argument is a file for a trained model: the first run saves its model there,
// and every run fits with the one that it finds, so that fits are compared for one and the same model.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/reduction/reducer.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <vector>

using namespace triptych;

namespace {

const Device device = Device::cpu(2);

class Digest {
 public:
  template <class T>
  void add(const T& values) {
    for (const std::byte byte : std::as_bytes(std::span(values)))
      value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  void add(double value) { add(std::span(&value, 1)); }
  void print(const char* name) const {
    std::printf("%-34s %016llx\n", name, static_cast<unsigned long long>(value_));
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

void reductions() {
  std::vector<float> values(1'000'003);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<std::int64_t>(i * 7919 % 65537) - 32768) / 4099.0f;
  reduction::Reducer reducer(device);
  Digest digest;
  digest.add(double{reducer.sum<float, float>(values)});
  digest.add(reducer.sum<double, float>(values));
  digest.add(reducer.dot<double, float>(values, values));
  const reduction::Moments moments = reducer.moments<float>(values);
  digest.add(moments.mean);
  digest.add(moments.variance());
  digest.print("reduction::Reducer");
}

void heads() {
  using namespace skin_tracker;
  const SyntheticScene scene({.width = 320, .height = 240, .frames = 8, .distractor = true});
  std::vector<Rgb8> pixels(320 * 240);
  const ImageView<Rgb8> image(pixels.data(), 320, 240);
  Digest inputs, results;
  scene.render(0, image);
  Tracker tracker = Tracker::from_box(Frame(image), scene.truth(0).box, {}, device);
  for (int i = 0; i < 8; ++i) {
    scene.render(i, image);
    inputs.add(pixels);
    const TrackedHead head = tracker.step(Frame(image));
    for (const double value : {head.x_px, head.y_px, head.area, head.distance_m, head.score})
      results.add(value);
  }
  inputs.print("skin_tracker::SyntheticScene");
  results.print("skin_tracker::Tracker");
}

void bodies() {
  using namespace capsule_likelihood;
  const Skeleton skeleton = make_human(1.75f);
  Motion motion = make_walk(skeleton, {.frames = 3});
  place_in_view(skeleton, motion);
  ParticleFilter filter(skeleton, {.samples = 64, .layers = 2, .max_points = 500}, device);
  filter.start(motion.pose(0));
  Digest inputs, results;
  for (int i = 0; i < 3; ++i) {
    const std::vector<Vec3> cloud = render_points(skeleton.capsules(motion.pose(i)), {.points = 500});
    inputs.add(cloud);
    const Estimate estimate = filter.step(cloud);
    results.add(estimate.pose);
    results.add(estimate.log_likelihood);
  }
  inputs.print("capsule_likelihood::render_points");
  results.print("capsule_likelihood::ParticleFilter");
}

void faces(const std::filesystem::path& file) {
  using namespace aam_fit;
  std::vector<Example> examples;
  examples.reserve(10);
  Digest inputs, learned;
  for (int i = 0; i < 10; ++i) {
    examples.push_back(render_face(random_face(7, i), 256, 256));
    inputs.add(examples.back().image.pixels);
    inputs.add(examples.back().landmarks);
  }
  inputs.print("aam_fit::render_face");
  TrainOptions options;
  options.deformations = 1;         // without optimisation more would take a minute,
  options.face_classifier = false;  // and this half of one
  const Model trained = train(examples, options);
  for (const Level& level : trained.levels) {
    learned.add(level.s0);
    learned.add(level.g0);
    learned.add(level.Qg);
    learned.add(level.R);
  }
  learned.print("aam_fit::train");
  if (!std::filesystem::exists(file)) save_model(file, trained);
  const Model model = load_model(file);
  const auto fit_all = [&](const FitterOptions& fitting, const char* name) {
    Fitter fitter(model, fitting, device);
    Digest results;
    for (int i = 0; i < 4; ++i) {
      const Example face = render_face(random_face(7, 1000 + i), 256, 256);
      const Fit fit = fitter.step({face.image.view(), start_in_box(model, bounds(face.landmarks), 256, 256)});
      results.add(fit.landmarks);
      results.add(fit.parameters);
    }
    results.print(name);
  };
  fit_all({}, "aam_fit::Fitter");
  fit_all({.fit = {.form = Form::paper, .max_iterations = 0}}, "aam_fit::Fitter, paper");
  fit_all({.algorithm = Algorithm::project_out}, "aam_fit::Fitter, project out");
  fit_all({.algorithm = Algorithm::simultaneous}, "aam_fit::Fitter, simultaneous");
}

}  // namespace

int main(int, char** arguments) {
  reductions();
  heads();
  bodies();
  faces(arguments[1]);
}
