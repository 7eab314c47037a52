// find_faces: the landmarks of every face in an image, without a face detector.
#pragma once

#include <triptych/aam_fit/fitter.hpp>

#include <vector>

namespace triptych::aam_fit {

struct FindFacesOptions {
  // Sizes of the square boxes in which fits start, as shares of the image's shorter side.
  std::vector<double> box_sizes = {0.5, 0.7, 0.35};
  double spacing = 0.35;     // at most this, from one box to the next, as a share of the box's size
  double min_score = 0.3;    // a fit below this Fit::score is no face
  double max_overlap = 0.2;  // of two fits whose boxes overlap by more (intersection over union) one stays
  int max_faces = 0;         // the best ones alone; 0: all
  // Of all sizes together. A picture of 16:9 has about 110 with the options above; a long narrow strip, or
  // many small boxes, would have thousands, each of which takes a fit.
  int max_starts = 4096;
};

// Fits the model from a grid of boxes all over the image, and returns the fits that can be faces, best score
// first, no two of one place. A fit can be a face when it was found(), has not shrunk to less than half its
// box, and lies in the image by four fifths. Uses fitter.step(span): on a GPU, a Fitter made for many
// max_faces is faster. InvalidArgument as step(), when an option is out of its range, or when there would be
// more than max_starts. Empty when no face was found.
std::vector<Fit> find_faces(Fitter& fitter, ImageView<const Grey8> image,
                            const FindFacesOptions& options = {});

}  // namespace triptych::aam_fit
