// Procedural faces with 68 exact landmarks (order of 300-W): identity, expression, light, pose, skin texture
// and background differ by seed.
#pragma once

#include <triptych/aam_fit/example.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace triptych::aam_fit {

// What varied_face() varies besides. Zeros and ones stand for an average person, unless a line says other.
struct FaceDetail {
  // About -1..1 each: aspect, height of eyes, nose and mouth, jaw angles, brows' height, inner and outer
  // ends, eyes' tilt, opening and width, upper and lower lip, mouth's corners and width, shift of mouth and
  // jaw.
  std::array<double, 16> shape{};
  double depth = 1;  // how far the sides of the head lie behind the nose; occlusion follows from it
  // Light: hardness 0..1 (soft to a spotlight with cast shadows), ambient share, creases (weight of folds).
  double hardness = 0.2, ambient = 0.3, creases = 1, gloss = 1, sockets = 0.3, neck_shadow = 0.5;
  double wrinkles = 0, skin_noise = 1;
  double brows = 0.8, brow_thickness = 1, lashes = 1, lips = 0.7, iris = 0.2, eye_white = 0.6;
  double beard = 0, moustache = 0;  // 0..1
  double hair = 0.2, fringe = 0, hair_volume = 0.13, hair_bottom = -0.3, hair_inner = 1, parting = 0;
  double hair_cover = 1;                  // 0: bald
  double glasses = 0, glasses_width = 1;  // darkness of the frame; 0: none
  double tint = 0;                        // of the lenses, 0..1: sunglasses
  double cloth = 0.3, collar = 0;
  double background = 0.4, clutter = 0.2;
  double blur_px = 0, gamma = 1;
  double quantisation = 0;  // step of the cosine coefficients of blocks of 8 x 8, as JPEG has it; 0: none
};

struct FaceParameters {
  std::array<double, 8> identity{};    // about -1..1 each: widths, heights, spacing of eyes, nose, mouth, jaw
  std::array<double, 4> expression{};  // smile, open mouth, raised brows, closed eyes
  double yaw = 0, pitch = 0, roll = 0;           // radians; yaw and pitch (out of the plane) are small
  double x_px = 128, y_px = 128, size_px = 128;  // centre and face size
  double light_x = 0, light_y = 0;               // from where: about -1..1
  double skin = 0.6, contrast = 1;               // brightness 0..1
  double noise = 2;                              // grey values
  std::uint64_t seed = 1;                        // of texture, noise and background
  std::optional<FaceDetail> detail;              // empty: a plain face, as random_face() makes them
};

// Drawn at random for a face number of a seeded set: within a 256 x 256 image.
FaceParameters random_face(std::uint64_t seed, std::int64_t number);
// Drawn from much wider ranges, to train a model for photographs: yaw up to 40 degrees, pitch up to 25, other
// proportions and expressions, light, hair, beard, glasses, clutter, blur, and noise of compression.
FaceParameters varied_face(std::uint64_t seed, std::int64_t number);
// A picture of anything but a face: textures, grids, stripes, wheels and clutter over one another, of any
// contrast, blur and noise. train() shows the face classifier those of seed 29. InvalidArgument when a side
// is not in 1..8192.
Image<Grey8> background_scene(std::uint64_t seed, std::int64_t number, int width, int height);
// Frame of a video in which one seeded person moves, turns, speaks and blinks. InvalidArgument when seconds
// is not finite.
FaceParameters face_in_motion(std::uint64_t seed, double seconds);

// Rendered with smooth edges; the landmarks lie where the face was drawn, exactly. Of a face with detail, the
// landmarks of the jaw that the face itself hides lie on its visible outline, as annotators place them.
// InvalidArgument, naming
// the parameter, when the image is not 16 x 16 to 8192 x 8192 pixels, or a parameter is not finite or far
// outside its usual range.
Example render_face(const FaceParameters& face, int width, int height);

// The landmark that each of the 68 becomes in a mirror.
std::vector<int> mirror_of_68();

}  // namespace triptych::aam_fit
