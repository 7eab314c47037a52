// aam_demo boxes: where the landmarks lie in the face detector's boxes.
#include <triptych/aam_fit/box_offset.hpp>
#include <triptych/core/opencv.hpp>

#include <common/face_detector.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands.hpp"
#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

namespace {

// Whether a box is of the face with these landmarks: it holds their centre, and is of about their size.
bool is_of(const Box& box, const Shape& landmarks) {
  const Box face = bounds(landmarks);
  const double x = face.x + face.width / 2, y = face.y + face.height / 2;
  const double ratio = face_size(landmarks) / std::sqrt(box.width * box.height);
  return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height && ratio > 0.5 &&
         ratio < 1.6;
}

}  // namespace

void measure_boxes(const Options& options) {
  apps::FaceDetector detector(options.cascade);
  if (!detector.ready()) throw Unavailable(detector.reason());
  const std::vector<Example> faces = load_faces(face_files(options));
  std::vector<Box> boxes, halves[2];
  std::vector<Shape> shapes, half_shapes[2];
  std::size_t others = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const std::vector<Box> found = detector.detect(mat_view(faces[i].image.view()));
    const auto own = std::find_if(found.begin(), found.end(),
                                  [&](const Box& box) { return is_of(box, faces[i].landmarks); });
    others += found.size() - (own != found.end() ? 1 : 0);
    if (own == found.end()) continue;
    boxes.push_back(*own);
    shapes.push_back(faces[i].landmarks);
    halves[i % 2].push_back(*own);
    half_shapes[i % 2].push_back(faces[i].landmarks);
  }
  std::printf("aam_demo: %zu of %zu faces detected, %zu other boxes.\n", boxes.size(), faces.size(), others);
  const auto print = [](const char* which, const std::vector<Box>& of, const std::vector<Shape>& with) {
    if (of.empty()) return;
    const BoxOffset offset = calibrate_box_offset(of, with);
    std::printf("%s: shift %.3f, %.3f of the box, scale %.3f\n", which, offset.shift_x, offset.shift_y,
                offset.scale);
  };
  print("all", boxes, shapes);
  print("every second", halves[0], half_shapes[0]);
  print("the others", halves[1], half_shapes[1]);
}

}  // namespace triptych::aam_demo
