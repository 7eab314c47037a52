// The drawn face in an image: a fine mesh over its surface, moved by identity, expression and pose, and for
// every pixel the place of the surface that is seen there.
#pragma once

#include <triptych/aam_fit/synthetic_face.hpp>

#include <vector>

namespace triptych::aam_fit::face {

struct SurfacePoint {
  float x = 0, y = 0;              // on the surface at rest
  float moved_x = 0, moved_y = 0;  // where identity and expression have brought it, before the pose
  bool hit = false;
};

struct Rotation {
  double m[3][3];
};
Rotation rotation(const FaceParameters& face);

class Mesh {
 public:
  explicit Mesh(const FaceParameters& face);
  // The mesh's image of a place of the surface: that pixel shows that place.
  Point in_image(double x, double y) const;
  Point moved(double x, double y) const;
  // Row by row.
  std::vector<SurfacePoint> rasterise(int width, int height) const;

 private:
  struct Vertex {
    double x, y;              // in the image
    double moved_x, moved_y;  // before the pose
  };
  template <class Value>
  auto within(double x, double y, Value value) const;
  std::vector<Vertex> vertices_;
};

}  // namespace triptych::aam_fit::face
