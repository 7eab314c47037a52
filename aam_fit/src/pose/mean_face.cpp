// The mean face, in millimetres, made from rounded mean measures of adults, women and men together, after
// L. G. Farkas, Anthropometry of the Head and Face (1994): pupils 63 apart, outer and inner eye corners 88
// and 36 (as landmarks, just inside the lids), face 138 wide, nasion to gnathion 118, nasion to subnasale 52,
// nose 34 wide and 20 deep, subnasale to stomion 21, mouth 52 wide; tragion 96 behind the nasion. Between
// them the landmarks lie on smooth curves.
#include <triptych/aam_fit/head_pose.hpp>

namespace triptych::aam_fit {

namespace {

// The left half in the image and the axis of symmetry; each with the landmark of the right half.
struct Placed {
  std::size_t index, mirrored;
  double x, y, z;
};
constexpr Placed half_face[] = {
    // jaw, from the temple to the chin
    {0, 16, -69, -1, 78},
    {1, 15, -68.5, 18, 76},
    {2, 14, -66, 37.5, 71},
    {3, 13, -61.5, 56, 63},
    {4, 12, -55, 73, 52},
    {5, 11, -45.5, 88, 37},
    {6, 10, -33, 101, 22},
    {7, 9, -17.5, 110.5, 10},
    {8, 8, 0, 114, 7},
    // brow
    {17, 26, -57, -13, 10},
    {18, 25, -48, -20, 0},
    {19, 24, -36, -22, -6},
    {20, 23, -24, -20, -10},
    {21, 22, -13, -15.5, -12},
    // nose: ridge, base
    {27, 27, 0, -4, -8},
    {28, 28, 0, 10.5, -15},
    {29, 29, 0, 24.5, -22.5},
    {30, 30, 0, 38, -29.5},
    {31, 35, -14.5, 44.5, -8},
    {32, 34, -7.5, 47, -11.5},
    {33, 33, 0, 48, -12.5},
    // eye
    {36, 45, -44, 0, 8},
    {37, 44, -36.5, -4.5, -1.5},
    {38, 43, -27, -4.5, -3.5},
    {39, 42, -18, 1, 0.5},
    {40, 47, -27, 4, -2.5},
    {41, 46, -36.5, 4, -1},
    // mouth: outer upper and lower lip, inner upper and lower lip
    {48, 54, -26, 68, 0},
    {49, 53, -17, 63.5, -9},
    {50, 52, -6.5, 61, -14.5},
    {51, 51, 0, 62.5, -15},
    {59, 55, -17, 75.5, -7},
    {58, 56, -8, 79.5, -12},
    {57, 57, 0, 80.5, -13},
    {60, 64, -21.5, 68, -2},
    {61, 63, -7.5, 67.5, -11},
    {62, 62, 0, 68, -12},
    {67, 65, -7.5, 70.5, -10.5},
    {66, 66, 0, 71, -11},
};

constexpr std::array<Point3, 68> mean_face = [] {
  std::array<Point3, 68> all{};
  for (const Placed& p : half_face) {
    all[p.mirrored] = {-p.x / 1000, p.y / 1000, p.z / 1000};
    all[p.index] = {p.x / 1000, p.y / 1000, p.z / 1000};
  }
  return all;
}();

}  // namespace

const std::array<Point3, 68>& mean_face_68() { return mean_face; }

}  // namespace triptych::aam_fit
