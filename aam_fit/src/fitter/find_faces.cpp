// find_faces: fits at the best places of a search, then non-maximum suppression by confidence.
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "fitter/face_search.hpp"

namespace triptych::aam_fit {

namespace {

constexpr double min_growth = 0.5;        // of a fit's size over that of the box in which it started
constexpr double min_share_inside = 0.8;  // of a fit's box that lies in the image
constexpr double min_search_px = 16;
constexpr std::size_t max_checked = 64;  // candidates that are fitted again
// Of the planes of a search: below the limits of a crop, with a border; and half a gibibyte of floats.
constexpr double max_plane_pixels = 3 << 23, max_plane_side = 15 << 10, max_plane_floats = 1 << 27;

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
  require(
      options.min_size >= 0.01 && options.min_size <= 1 && options.max_size >= 0.01 && options.max_size <= 1,
      "faces (min_size, max_size) have 0.01 to 1 of an image, not ", options.min_size, " to ",
      options.max_size);
  require(options.max_overlap >= 0 && options.max_overlap <= 1, "boxes cannot overlap by ",
          options.max_overlap);
  require(options.max_faces >= 0, "an image cannot have ", options.max_faces, " faces (max_faces)");
  require(options.max_candidates >= 1 && options.max_candidates <= 65536,
          "a search fits 1 to 65536 places (max_candidates), not ", options.max_candidates);
  require(options.min_confidence >= 0 && options.min_confidence <= 1,
          "a confidence (min_confidence) lies in 0..1, not at ", options.min_confidence);
}

// The confidence of a find. The fits from starts around it agree on a face, and hardly ever elsewhere.
// Coefficients of the mean log odds of those fits' confidences and of the logarithm of the mean distance
// of their landmarks, in face sizes, from the find's: from searches in faces in the wild, in procedural faces
// and in images without faces.
double search_confidence(const Fit& find, std::span<const Fit> around) {
  constexpr double constant = -30.1, by_odds = 1.7, by_distance = -5.15, min_distance = 0.002;
  constexpr double sure = 1e-9;  // bounds the odds
  double odds = 0, distance = 0;
  for (const Fit& fit : around) {
    const double confidence = std::clamp(fit.confidence, sure, 1 - sure);
    odds += std::log(confidence / (1 - confidence)) / static_cast<double>(around.size());
    distance += shape_error(fit.landmarks, find.landmarks) / static_cast<double>(around.size());
  }
  return 1 / (1 + std::exp(-(constant + by_odds * odds + by_distance * std::log(distance + min_distance))));
}

// Of fits in order, those that overlap with none before them.
std::vector<Fit> without_overlaps(std::vector<Fit> fits, double max_overlap, std::size_t most) {
  std::vector<Fit> kept;
  for (Fit& fit : fits) {
    if (kept.size() == most) break;
    const Box box = bounds(fit.landmarks);
    if (std::none_of(kept.begin(), kept.end(), [&](const Fit& better) {
          return intersection_over_union(box, bounds(better.landmarks)) > max_overlap;
        }))
      kept.push_back(std::move(fit));
  }
  return kept;
}

void sort_by_confidence(std::vector<Fit>& fits) {
  std::stable_sort(fits.begin(), fits.end(),
                   [](const Fit& a, const Fit& b) { return a.confidence > b.confidence; });
}

}  // namespace

std::vector<Fit> find_faces(Fitter& fitter, ImageView<const Grey8> image, const FindFacesOptions& options) {
  check(options);
  require(!image.empty(), "an empty image has no face");
  const auto width = static_cast<double>(image.width()), height = static_cast<double>(image.height());
  const double min_px = std::max(min_search_px, options.min_size * height);
  // the planes in which the smallest faces are searched for
  const double plane_scale = fitter.model().levels.front().face_size_px / min_px;
  const double pixels = width * height * plane_scale * plane_scale;
  require(pixels < max_plane_pixels &&
              pixels * channels(fitter.model().levels.front().features) < max_plane_floats &&
              std::max(width, height) * plane_scale < max_plane_side,
          "an image of ", width, " x ", height, " pixels is too long to search it for faces of ", min_px,
          " pixels: crop the image, or raise min_size");
  const Device& device = fitter.device();
  const std::vector<Candidate> places =
      search_faces(fitter.model(), image, min_px, options.max_size * std::min(width, height),
                   options.max_candidates, device.is_cuda() ? 0 : device.threads());
  std::vector<Face> faces;
  faces.reserve(places.size());
  for (const Candidate& c : places)
    faces.push_back({.frame = image,
                     .start = posed(Similarity{c.size - 1, 0, c.x, c.y}, fitter.model().mean),
                     .start_alone = true});
  std::vector<Fit> fits = fitter.step(faces);

  const Box whole{0, 0, width, height};
  std::vector<Fit> candidates;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const Box box = bounds(fits[i].landmarks);
    if (fits[i].found() && std::sqrt(box.width * box.height) > min_growth * places[i].size &&
        overlap_area(box, whole) > min_share_inside * box.width * box.height)
      candidates.push_back(std::move(fits[i]));
  }
  sort_by_confidence(candidates);
  candidates = without_overlaps(std::move(candidates), options.max_overlap, max_checked);

  std::vector<Face> around;
  for (const Fit& candidate : candidates) {
    std::vector<Shape> starts = evaluation_starts(fitter.model().mean, candidate.landmarks);
    for (std::size_t k = 1; k < starts.size(); ++k)  // the first is not displaced
      around.push_back({.frame = image, .start = std::move(starts[k]), .start_alone = true});
  }
  const std::vector<Fit> again = fitter.step(around);
  const std::size_t each = candidates.empty() ? 0 : again.size() / candidates.size();
  std::vector<Fit> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].confidence =
        search_confidence(candidates[i], std::span<const Fit>(again).subspan(i * each, each));
    if (candidates[i].confidence >= options.min_confidence) found.push_back(std::move(candidates[i]));
  }
  sort_by_confidence(found);
  if (options.max_faces > 0 && found.size() > static_cast<std::size_t>(options.max_faces))
    found.resize(static_cast<std::size_t>(options.max_faces));
  return found;
}

}  // namespace triptych::aam_fit
