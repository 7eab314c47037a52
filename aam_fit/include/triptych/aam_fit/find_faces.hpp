// find_faces: the landmarks of every face in an image, without a face detector.
#pragma once

#include <triptych/aam_fit/fitter.hpp>

#include <vector>

namespace triptych::aam_fit {

struct FindFacesOptions {
  // Sizes of the faces that are searched for (the square root of the area of the landmarks' box), as shares
  // of the image's height and of its shorter side. None below 16 pixels.
  double min_size = 0.04, max_size = 1;
  double max_overlap = 0.2;     // of two fits whose boxes overlap by more (intersection over union) one stays
  int max_faces = 0;            // the best ones alone; 0: all
  int max_candidates = 128;     // places that are fitted
  double min_confidence = 0.5;  // a find with less confidence, as stated below, is no face
};

// Compares the mean texture of the coarsest level with the image, at all places and sizes, without a warp;
// fits the model at the places where they correlate most; and returns the faces, most confident first, no two
// of one place. The confidence of the returned fits is that of a search: it takes into account that of very
// many places hardly one has a face, and what face_score() says of each; the fitter's own min_confidence does
// not matter. Small faces are searched for in small planes: the time grows with 1 / min_size^2 and with the
// image's width over its height, not with its pixels.
//
// A fit counts when it has not shrunk to less than half its start and lies in the image by four fifths. The
// comparison is done on the host; the fits by fitter.step(span): on a GPU, a Fitter made for many max_faces
// is faster. InvalidArgument as step(), when an option is out of its range, or when the image is so long that
// the planes of the smallest faces would have more than about 25 million pixels. Empty when no face was
// found.
std::vector<Fit> find_faces(Fitter& fitter, ImageView<const Grey8> image,
                            const FindFacesOptions& options = {});

// A fit that step() gave for this image, in a box of a user or a detector: its confidence takes face_score()
// into account; below min_confidence its status is lost_no_face, otherwise it is found, whatever the fitter's
// own threshold says. So fits in boxes of a detector that sees faces in wheels and leaves are told from
// faces. Unchanged when the fit left the image or had no contrast, and for a model without a classifier. On
// the host. InvalidArgument as face_score(), and when min_confidence is not in 0..1.
Fit check_face(const Model& model, ImageView<const Grey8> image, Fit fit, double min_confidence = 0.5);

// How far the image at landmarks is from the background, towards the faces of the model, in standard
// deviations of the background (FaceClassifier); 0 for a model without a classifier. Faces have 4 or more, as
// a rule. On the host. InvalidArgument when the image is empty, a landmark is not finite, or their number is
// not the model's.
double face_score(const Model& model, ImageView<const Grey8> image, std::span<const Point> landmarks);

}  // namespace triptych::aam_fit
