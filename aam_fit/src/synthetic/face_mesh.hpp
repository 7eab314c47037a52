// A regular mesh over the face, deformed by identity and expression, posed and projected; and its
// rasterisation, which gives the surface point of every pixel.
#pragma once

#include <triptych/aam_fit/synthetic_face.hpp>

#include <vector>

namespace triptych::aam_fit::face {

struct SurfacePoint {
  float x = 0, y = 0;              // on the neutral face
  float moved_x = 0, moved_y = 0;  // after identity and expression, before the pose
  bool hit = false;
};

struct Rotation {
  double m[3][3];
};
Rotation rotation(const FaceParameters& face);

class Mesh {
 public:
  explicit Mesh(const FaceParameters& face);
  // The projection of a point of the neutral face, interpolated in the mesh.
  Point in_image(double x, double y) const;
  Point moved(double x, double y) const;
  // The landmarks in the image. Of a face with detail, one of the jaw that a cheek hides lies where the row
  // of the neutral face through it reaches farthest outwards.
  Shape landmarks() const;
  // Row-major.
  std::vector<SurfacePoint> rasterise(int width, int height) const;

 private:
  struct Vertex {
    double x, y;              // in the image
    double moved_x, moved_y;  // before the pose
    double z;                 // towards the viewer; of faces with detail
  };
  template <class Value>
  auto within(double x, double y, Value value) const;
  std::vector<Vertex> vertices_;
  bool occludes_;   // itself: faces with detail
  Point outwards_;  // the direction in the image of the neutral face's x
};

}  // namespace triptych::aam_fit::face
