// Whether there is a face in a box, by a linear classifier of brightness gradients: for a head of which
// nothing is known but its colour.
//
// It is a logistic regression over 10 x 10 of the cells of GradientCells (histograms of oriented gradients,
// Dalal and Triggs 2005). Faces are up to 40 degrees from frontal; the back of a head is none. The weights
// are those of a face and its mirror image alike.
#pragma once

#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

// What face_score() reads of the map, around a box of skin; and how fine the map should be there, as
// WeightMap::place() takes it.
CentredBox face_part(const CentredBox& skin);
double face_finest_px(const CentredBox& skin);

// The greatest log odds of a face over places and sizes near a box of skin. The constant is that of as many
// faces as other things, so values above 0 are more like a face.
constexpr double min_face = 1.75;  // of a face that need not be looked at again
double face_score(const WeightMap& brightness, const CentredBox& skin);

}  // namespace triptych::skin_tracker
