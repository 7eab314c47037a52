// The first stage of find_faces(): where the mean texture of a model's coarsest level resembles an image.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/core/image_view.hpp>

#include <vector>

namespace triptych::aam_fit {

struct Candidate {
  double correlation = 0;
  double x = 0, y = 0, size = 0;  // centre and size of the face, in pixels of the image
};

constexpr double min_search_px = 16;

// Whether the planes in which faces of min_px are searched for are not too large.
bool is_searchable(const Model& model, double width, double height, double min_px);

// The places of faces of min_px to max_px that correlate most with the mean texture, best first, at most
// `most`, no two of about one place and size.
std::vector<Candidate> search_faces(const Model& model, ImageView<const Grey8> image, double min_px,
                                    double max_px, int most, int threads);

// The mean shape at a place.
Shape start_at(const Model& model, const Candidate& place);

}  // namespace triptych::aam_fit
