// What train() checks before it starts, and the mirror images.
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

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

Image<Grey8> mirror_image(const Image<Grey8>& image) {
  Image<Grey8> mirrored = image;
  for (std::int64_t y = 0; y < image.height; ++y) {
    const auto row = mirrored.view().row(y);
    std::reverse(row.begin(), row.end());
  }
  return mirrored;
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

TrainingSet::TrainingSet(const std::vector<Example>& examples, std::span<const int> mirror_points)
    : examples_(static_cast<int>(examples.size())) {
  const bool mirror = !mirror_points.empty();
  faces_.reserve(examples.size() * (mirror ? 2 : 1));
  mirrored_.reserve(mirror ? examples.size() : 0);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Example& example = examples[i];
    faces_.push_back({&example.image, example.landmarks, static_cast<int>(i)});
    if (!mirror) continue;
    mirrored_.push_back(mirror_image(example.image));
    Shape shape(example.landmarks.size());
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const Point p = example.landmarks[static_cast<std::size_t>(mirror_points[k])];
      shape[k] = {static_cast<double>(example.image.width - 1) - p.x, p.y};
    }
    faces_.push_back({&mirrored_.back(), std::move(shape), static_cast<int>(i)});
  }
}

}  // namespace triptych::aam_fit
