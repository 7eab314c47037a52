// find_faces: fits at the best places of a search, then non-maximum suppression by confidence.
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "fitter/face_classifier.hpp"
#include "fitter/face_search.hpp"

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

// What makes a fit a face: its log odds by the fitter, and the classifier's score.
struct FindCoefficients {
  double constant, odds, score;
};
// From searches in faces in the wild, of IMM, in procedural faces and in images without faces
// (bench/accuracy/accuracy.py --only face_search).
constexpr FindCoefficients of_search{-12.2, 0.72, 2.2}, without_classifier{-6.5, 1.3, 0};
// Of a fit in one box, which is a face more often than the best of very many places.
constexpr FindCoefficients of_box{-13.4, 1.25, 2.8};

double probability(const FindCoefficients& c, double confidence, double score) {
  constexpr double min_odds = -6, max_odds = 9;
  const double odds = std::clamp(std::log(confidence / (1 - confidence)), min_odds, max_odds);
  return 1 / (1 + std::exp(-(c.constant + c.odds * odds + c.score * score)));
}

// Replaces the confidences of fits by those of finds.
void set_search_confidence(std::vector<Fit>& fits, const Model& model, ImageView<const Grey8> image,
                           int threads) {
  const FindCoefficients& coefficients = model.face_classifier.known() ? of_search : without_classifier;
  parallel_chunks(static_cast<std::int64_t>(fits.size()), 8, threads,
                  [&](std::int64_t first, std::int64_t last, std::int64_t) {
                    FaceTexture textures;
                    for (std::int64_t i = first; i < last; ++i) {
                      Fit& fit = fits[static_cast<std::size_t>(i)];
                      fit.confidence = probability(coefficients, fit.confidence,
                                                   score_at(model, image, fit.landmarks, textures));
                    }
                  });
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
  require(is_searchable(fitter.model(), width, height, min_px), "an image of ", width, " x ", height,
          " pixels is too long to search it for faces of ", min_px,
          " pixels: crop the image, or raise min_size");
  const Device& device = fitter.device();
  const int threads = device.is_cuda() ? 0 : device.threads();
  const std::vector<Candidate> places =
      search_faces(fitter.model(), image, min_px, options.max_size * std::min(width, height),
                   options.max_candidates, threads);
  std::vector<Face> faces;
  faces.reserve(places.size());
  for (const Candidate& place : places)
    faces.push_back({.frame = image, .start = start_at(fitter.model(), place), .start_alone = true});
  std::vector<Fit> fits = fitter.step(faces);

  const Box whole{0, 0, width, height};
  std::vector<Fit> candidates;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    // Whether it is a face is not decided by the fitter's threshold but below.
    if (fits[i].status == FitStatus::lost_no_face) fits[i].status = FitStatus::completed;
    const Box box = bounds(fits[i].landmarks);
    if (fits[i].found() && std::sqrt(box.width * box.height) > min_growth * places[i].size &&
        overlap_area(box, whole) > min_share_inside * box.width * box.height)
      candidates.push_back(std::move(fits[i]));
  }
  set_search_confidence(candidates, fitter.model(), image, threads);
  std::erase_if(candidates, [&](const Fit& fit) { return fit.confidence < options.min_confidence; });
  sort_by_confidence(candidates);
  const std::size_t most =
      options.max_faces > 0 ? static_cast<std::size_t>(options.max_faces) : candidates.size();
  return without_overlaps(std::move(candidates), options.max_overlap, most);
}

Fit check_face(const Model& model, ImageView<const Grey8> image, Fit fit, double min_confidence) {
  require(min_confidence >= 0 && min_confidence <= 1, "a confidence (min_confidence) lies in 0..1, not at ",
          min_confidence);
  const bool is_judged = fit.found() || fit.status == FitStatus::lost_no_face;
  if (!is_judged || !model.face_classifier.known()) return fit;
  fit.confidence = probability(of_box, fit.confidence, face_score(model, image, fit.landmarks));
  if (fit.confidence < min_confidence) {
    fit.status = FitStatus::lost_no_face;
  } else if (fit.status == FitStatus::lost_no_face) {
    fit.status = FitStatus::completed;
  }
  return fit;
}

double face_score(const Model& model, ImageView<const Grey8> image, std::span<const Point> landmarks) {
  require(!image.empty(), "an empty image has no face");
  require(static_cast<std::int64_t>(landmarks.size()) == model.points, "a model of ", model.points,
          " points cannot score ", landmarks.size());
  require(std::all_of(landmarks.begin(), landmarks.end(),
                      [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
          "a landmark is not finite");
  FaceTexture textures;
  return score_at(model, image, landmarks, textures);
}

}  // namespace triptych::aam_fit
