// Grey pictures of faces with FaceDetail.
#pragma once

#include <triptych/aam_fit/synthetic_face.hpp>

#include "synthetic/face_mesh.hpp"

namespace triptych::aam_fit::face {

Image<Grey8> paint_varied(const FaceParameters& face, const Mesh& mesh, int width, int height);

}  // namespace triptych::aam_fit::face
