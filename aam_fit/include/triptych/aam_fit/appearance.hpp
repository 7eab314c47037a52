// Grey pictures of a model's faces, whatever features its levels compare. Model::appearance is Cootes'
// combined model of shape and grey values; fitting does not use it.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/core/image.hpp>

#include <span>
#include <vector>

namespace triptych::aam_fit {

bool has_appearance(const Model& model);

// The parameters c that come closest to a face in a frame, whose landmarks are known (found, say).
// InvalidArgument when the model has no appearance or another number of landmarks, or the frame is empty.
std::vector<float> appearance_of(const Model& model, ImageView<const Grey8> frame,
                                 std::span<const Point> landmarks);

// The texture of parameters c over the appearance's own frame, 0 around it. All pictures of a model have one
// scale of grey. InvalidArgument when the model has no appearance or c another size.
Image<Grey8> appearance_picture(const Model& model, std::span<const float> c);

}  // namespace triptych::aam_fit
