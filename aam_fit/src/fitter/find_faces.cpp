// find_faces: a grid of starts, then non-maximum suppression by score.
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace triptych::aam_fit {

namespace {

constexpr double min_growth = 0.5;        // of a fit's size over that of the box in which it started
constexpr double min_share_inside = 0.8;  // of a fit's box that lies in the image

double overlap_area(const Box& a, const Box& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(0.0, width) * std::max(0.0, height);
}

double intersection_over_union(const Box& a, const Box& b) {
  const double common = overlap_area(a, b);
  return common / (a.width * a.height + b.width * b.height - common);
}

void check(const FindFacesOptions& options) {
  for (const double size : options.box_sizes)
    require(size > 0 && size <= 1, "a box of ", size, " of an image's shorter side does not lie in it");
  require(options.spacing >= 0.01 && options.spacing <= 1, "boxes cannot lie ", options.spacing,
          " of their size apart: 0.01 to 1");
  require(options.max_overlap >= 0 && options.max_overlap <= 1, "boxes cannot overlap by ",
          options.max_overlap);
  require(options.max_faces >= 0, "an image cannot have ", options.max_faces, " faces (max_faces)");
  require(options.max_starts >= 1, "a search cannot have ", options.max_starts, " starts (max_starts)");
  require(!std::isnan(options.min_score), "min_score is not a number");
}

// Boxes of one size over the whole image, from left to right, row by row; most: how many there may be.
std::vector<Box> grid(double width, double height, double size, double spacing, std::size_t most) {
  const double step = spacing * size;
  const double across = 1 + std::floor((width - size) / step), down = 1 + std::floor((height - size) / step);
  require(across * down <= static_cast<double>(most), "an image of ", width, " x ", height,
          " pixels has room for ", across * down, " starts of ", size,
          " pixels, more than max_starts allows: crop the image, or raise spacing or max_starts");
  const int columns = static_cast<int>(across), rows = static_cast<int>(down);
  const auto position = [](int i, int count, double range) {
    return count == 1 ? range / 2 : range * i / (count - 1);
  };
  std::vector<Box> boxes;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      boxes.push_back(
          {position(column, columns, width - size), position(row, rows, height - size), size, size});
  return boxes;
}

}  // namespace

std::vector<Fit> find_faces(Fitter& fitter, ImageView<const Grey8> image, const FindFacesOptions& options) {
  check(options);
  require(!image.empty(), "an empty image has no face");
  const auto width = static_cast<double>(image.width()), height = static_cast<double>(image.height());
  std::vector<Face> faces;
  std::vector<double> start_sizes;
  for (const double share : options.box_sizes) {
    const double size = share * std::min(width, height);
    const std::size_t most = static_cast<std::size_t>(options.max_starts) - faces.size();
    for (const Box& box : grid(width, height, size, options.spacing, most)) {
      faces.push_back({image, start_in_box(fitter.model(), box, image.width(), image.height())});
      start_sizes.push_back(size);
    }
  }
  std::vector<Fit> fits = fitter.step(faces);

  const Box whole{0, 0, width, height};
  std::vector<Fit> candidates;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const Box box = bounds(fits[i].landmarks);
    if (fits[i].found() && fits[i].score >= options.min_score &&
        std::sqrt(box.width * box.height) > min_growth * start_sizes[i] &&
        overlap_area(box, whole) > min_share_inside * box.width * box.height)
      candidates.push_back(std::move(fits[i]));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Fit& a, const Fit& b) { return a.score > b.score; });

  std::vector<Fit> found;
  for (Fit& candidate : candidates) {
    if (options.max_faces > 0 && static_cast<int>(found.size()) == options.max_faces) break;
    const Box box = bounds(candidate.landmarks);
    if (std::none_of(found.begin(), found.end(), [&](const Fit& better) {
          return intersection_over_union(box, bounds(better.landmarks)) > options.max_overlap;
        }))
      found.push_back(std::move(candidate));
  }
  return found;
}

}  // namespace triptych::aam_fit
