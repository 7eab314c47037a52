// What train() checks before it starts, and the faces that it learns from.
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>

#include "train/deform.hpp"
#include "train/training_set.hpp"

namespace triptych::aam_fit {
namespace {

void check_example(const Example& example, std::size_t points) {
  constexpr int min_side = 16, max_side = 1 << 20;
  constexpr double max_outside_fraction = 0.25;  // of the image's longer side
  const Image<Grey8>& image = example.image;
  const std::string& name = example.name;
  require(image.width >= min_side && image.height >= min_side, name, ": an image of ", image.width, " x ",
          image.height, " pixels is too small to learn from (", min_side, " x ", min_side, " is the least)");
  require(image.width <= max_side && image.height <= max_side, name, ": an image of ", image.width, " x ",
          image.height, " pixels is too large to learn from");
  require(
      image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
      name, ": an image of ", image.width, " x ", image.height, " pixels has ", image.pixels.size(),
      " values");
  require(!example.landmarks.empty(), name, ": there are no landmarks");
  require(example.landmarks.size() == points, name, ": there are ", example.landmarks.size(),
          " landmarks, but ", points, " in the first example");
  const auto width = static_cast<double>(image.width), height = static_cast<double>(image.height);
  const double slack = max_outside_fraction * std::max(width, height);
  for (std::size_t i = 0; i < example.landmarks.size(); ++i) {
    const Point p = example.landmarks[i];
    require(std::isfinite(p.x) && std::isfinite(p.y), name, ": landmark ", i, " is not finite");
    require(p.x >= -slack && p.y >= -slack && p.x <= width - 1 + slack && p.y <= height - 1 + slack, name,
            ": landmark ", i, " at (", p.x, ", ", p.y, ") lies far outside the image of ", image.width, " x ",
            image.height, " pixels");
  }
  const Box box = bounds(example.landmarks);
  require(box.width > 0 && box.height > 0, name, ": the landmarks' box has no area");
}

// The face with its landmarks moved a random share of the way to the shape of another one, or of that one's
// mirror image. Chosen by cross-validation on faces in the wild.
constexpr double min_share = 0.3, max_share = 0.9;
DeformedFace deformed(const std::vector<Example>& examples, std::size_t example, const Mirror& mirror,
                      PhiloxStream& random) {
  const Example& face = examples[example];
  const Example& other = examples[random.next() % static_cast<std::uint32_t>(examples.size())];
  const bool mirrored = random.next() % 2 == 0;
  const double share = min_share + (max_share - min_share) * double{random.next_uniform()};
  Shape shape =
      mirrored && !mirror.points.empty() ? mirror_shape(other.landmarks, mirror, 0) : other.landmarks;
  shape = posed(align(shape, face.landmarks), shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Point p = face.landmarks[i];
    shape[i] = {p.x + share * (shape[i].x - p.x), p.y + share * (shape[i].y - p.y)};
  }
  return deform(face.image.view(), face.landmarks, shape);
}

int deformations_that_fit(const std::vector<Example>& examples, int wanted) {
  constexpr double most = 1 << 30;  // bytes
  double bytes = 0;
  for (const Example& example : examples)
    bytes += static_cast<double>(example.image.width) * static_cast<double>(example.image.height);
  return static_cast<int>(std::min(static_cast<double>(wanted), most / (2 * bytes)));
}

}  // namespace

void check_examples(const std::vector<Example>& examples) {
  require(!examples.empty(), "training needs two examples or more, and there are none");
  require(examples.size() >= 2, examples.front().name,
          ": training needs two examples or more, not this one alone");
  const Example& first = examples.front();
  require(first.landmarks.empty() || (first.landmarks.size() >= 3 && first.landmarks.size() <= 4096),
          first.name, ": a shape has three landmarks or more, and at most 4096, not ",
          first.landmarks.size());
  for (const Example& example : examples) check_example(example, first.landmarks.size());
  const bool all_equal = std::all_of(examples.begin() + 1, examples.end(),
                                     [&](const Example& example) { return example.image == first.image; });
  require(!all_equal, first.name, ": all ", examples.size(),
          " images are equal to this one: there is nothing to learn");
}

TrainingSet::TrainingSet(const std::vector<Example>& examples, const Mirror& mirror, int deformations,
                         std::uint64_t seed, const Execution& run)
    : examples_(static_cast<int>(examples.size())) {
  const auto per_example = static_cast<std::size_t>(deformations_that_fit(examples, deformations));
  std::vector<DeformedFace> made(examples.size() * per_example);
  run.each(static_cast<std::int64_t>(made.size()), [&](std::int64_t i) {
    run.check();
    PhiloxStream random(seed, std::uint64_t{3} << 61 | static_cast<std::uint64_t>(i));
    const auto k = static_cast<std::size_t>(i);
    made[k] = deformed(examples, k / per_example, mirror, random);
  });

  const std::size_t faces = examples.size() + made.size();
  faces_.reserve(2 * faces);
  images_.reserve(made.size() + faces);
  const auto add = [&](const Image<Grey8>& image, const Shape& landmarks, std::size_t example) {
    faces_.push_back({&image, landmarks, static_cast<int>(example)});
    if (mirror.points.empty()) return;
    images_.push_back(mirror_image(image));
    faces_.push_back({&images_.back(), mirror_shape(landmarks, mirror, static_cast<double>(image.width)),
                      static_cast<int>(example)});
  };
  for (std::size_t i = 0; i < examples.size(); ++i) add(examples[i].image, examples[i].landmarks, i);
  undeformed_ = faces_.size();
  for (std::size_t i = 0; i < made.size(); ++i) {
    images_.push_back(std::move(made[i].image));
    add(images_.back(), made[i].landmarks, i / per_example);
  }
}

}  // namespace triptych::aam_fit
