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

// The places of faces of min_px to max_px that correlate most with the mean texture, best first, at most
// `most`, no two of about one place and size.
std::vector<Candidate> search_faces(const Model& model, ImageView<const Grey8> image, double min_px,
                                    double max_px, int most, int threads);

}  // namespace triptych::aam_fit
