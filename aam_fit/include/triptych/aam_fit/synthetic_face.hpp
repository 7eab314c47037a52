// Procedural faces with 68 exact landmarks (order of 300-W): identity, expression, light, pose, skin texture
// and background differ by seed.
#pragma once

#include <triptych/aam_fit/example.hpp>

#include <array>
#include <cstdint>

namespace triptych::aam_fit {

struct FaceParameters {
  std::array<double, 8> identity{};    // about -1..1 each: widths, heights, spacing of eyes, nose, mouth, jaw
  std::array<double, 4> expression{};  // smile, open mouth, raised brows, closed eyes
  double yaw = 0, pitch = 0, roll = 0;           // radians; yaw and pitch (out of the plane) are small
  double x_px = 128, y_px = 128, size_px = 128;  // centre and face size
  double light_x = 0, light_y = 0;               // from where: about -1..1
  double skin = 0.6, contrast = 1;               // brightness 0..1
  double noise = 2;                              // grey values
  std::uint64_t seed = 1;                        // of texture, noise and background
};

// Drawn at random for a face number of a seeded set: within a 256 x 256 image.
FaceParameters random_face(std::uint64_t seed, std::int64_t number);
// Frame of a video in which one seeded person moves, turns, speaks and blinks. InvalidArgument when seconds
// is not finite.
FaceParameters face_in_motion(std::uint64_t seed, double seconds);

// Rendered with smooth edges; the landmarks lie where the face was drawn, exactly. InvalidArgument, naming
// the parameter, when the image is not 16 x 16 to 8192 x 8192 pixels, or a parameter is not finite or far
// outside its usual range.
Example render_face(const FaceParameters& face, int width, int height);

// The landmark that each of the 68 becomes in a mirror.
std::vector<int> mirror_of_68();

}  // namespace triptych::aam_fit
