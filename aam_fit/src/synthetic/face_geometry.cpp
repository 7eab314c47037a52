#include <triptych/core/length.hpp>

#include <numbers>

#include "synthetic/face_geometry.hpp"

namespace triptych::aam_fit::face {

namespace {

constexpr double eye_x = 0.45, eye_y = -0.405, brow_y = -0.73, mouth_y = 0.60, gap_top = 0.572,
                 gap_bottom = 0.623;

// Landmarks of the left half and of the axis of symmetry, in the order of 300-W, each with its mirror
// landmark.
struct Placed {
  int index, mirrored;
  double x, y;
};
constexpr Placed half[] = {
    {0, 16, -1.00, -0.38},   {1, 15, -0.985, -0.14},   {2, 14, -0.945, 0.10},   {3, 13, -0.875, 0.335},
    {4, 12, -0.765, 0.555},  {5, 11, -0.615, 0.75},    {6, 10, -0.43, 0.91},    {7, 9, -0.22, 1.02},
    {8, 8, 0, 1.055},        {17, 26, -0.79, -0.625},  {18, 25, -0.66, -0.70},  {19, 24, -0.49, -0.735},
    {20, 23, -0.33, -0.725}, {21, 22, -0.17, -0.69},   {27, 27, 0, -0.42},      {28, 28, 0, -0.23},
    {29, 29, 0, -0.05},      {30, 30, 0, 0.13},        {31, 35, -0.195, 0.235}, {32, 34, -0.10, 0.27},
    {33, 33, 0, 0.29},       {36, 45, -0.62, -0.395},  {37, 44, -0.52, -0.475}, {38, 43, -0.395, -0.475},
    {39, 42, -0.28, -0.385}, {40, 47, -0.395, -0.338}, {41, 46, -0.52, -0.338}, {48, 54, -0.36, 0.580},
    {49, 53, -0.23, 0.525},  {50, 52, -0.085, 0.488},  {51, 51, 0, 0.505},      {59, 55, -0.23, 0.700},
    {58, 56, -0.095, 0.752}, {57, 57, 0, 0.760},       {60, 64, -0.29, 0.583},  {61, 63, -0.10, 0.568},
    {62, 62, 0, 0.574},      {67, 65, -0.10, 0.619},   {66, 66, 0, 0.625}};

Curve through(std::initializer_list<int> indices) {
  std::vector<Point> knots;
  knots.reserve(indices.size());
  for (const int i : indices) knots.push_back(landmarks()[static_cast<std::size_t>(i)]);
  return Curve(std::move(knots));
}

Curve head_outline() {
  std::vector<Point> around;
  for (int i = 0; i <= 8; ++i) around.push_back(landmarks()[static_cast<std::size_t>(8 - i)]);
  for (const Point p : {Point{-0.985, -0.62}, Point{-0.93, -0.86}, Point{-0.80, -1.08}, Point{-0.58, -1.26},
                        Point{-0.30, -1.37}, Point{0, -1.41}}) {
    around.push_back(p);
  }
  // The knots are mirrored at both ends: the slope there is zero.
  std::vector<Point> knots;
  knots.reserve(around.size() + 4);
  const auto polar = [](Point p) { return Point{std::atan2(-p.x, p.y), length(p.x, p.y)}; };
  knots.push_back({-polar(around[2]).x, polar(around[2]).y});
  knots.push_back({-polar(around[1]).x, polar(around[1]).y});
  for (const Point p : around) knots.push_back(polar(p));
  for (int i = 2; i <= 3; ++i) {
    const Point p = polar(around[around.size() - static_cast<std::size_t>(i)]);
    knots.push_back({2 * std::numbers::pi - p.x, p.y});
  }
  return Curve(std::move(knots));
}

// The share of the upper lid's motion that a point near an eye takes when the eye closes, 0..1.
double follows_lid(double x, double y) {
  const Curves& c = curves();
  const double upper = c.upper_lid.at(x), lower = c.lower_lid.at(x), gap = lower - upper;
  if (gap <= 0 || y >= lower) return 0;
  if (y >= upper) return (lower - y) / gap;
  return 1 - rise(upper - y, 0, 0.2);
}

}  // namespace

const std::array<Point, points>& landmarks() {
  static const std::array<Point, points> all = [] {
    std::array<Point, points> made{};
    for (const Placed& p : half) {
      made[static_cast<std::size_t>(p.index)] = {p.x, p.y};
      made[static_cast<std::size_t>(p.mirrored)] = {p.index == p.mirrored ? 0 : -p.x, p.y};
    }
    return made;
  }();
  return all;
}

Curve::Curve(std::vector<Point> knots) : knots_(std::move(knots)), bend_(knots_.size(), 0.0) {
  // The tridiagonal system of a natural cubic spline: forward elimination, then back substitution.
  const std::size_t n = knots_.size();
  std::vector<double> upper(n, 0.0), right(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double left_width = knots_[i].x - knots_[i - 1].x, right_width = knots_[i + 1].x - knots_[i].x;
    const double slope_change =
        (knots_[i + 1].y - knots_[i].y) / right_width - (knots_[i].y - knots_[i - 1].y) / left_width;
    const double pivot = 2 * (left_width + right_width) - left_width * upper[i - 1];
    upper[i] = right_width / pivot;
    right[i] = (6 * slope_change - left_width * right[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) bend_[i] = right[i] - upper[i] * bend_[i + 1];
}

double Curve::at(double x) const {
  std::size_t i = 1;
  while (i + 1 < knots_.size() && knots_[i].x < x) ++i;
  const Point a = knots_[i - 1], b = knots_[i];
  const double width = b.x - a.x, slope = (b.y - a.y) / width;
  if (x < a.x) return a.y + (x - a.x) * (slope - width * (2 * bend_[i - 1] + bend_[i]) / 6);
  if (x > b.x) return b.y + (x - b.x) * (slope + width * (bend_[i - 1] + 2 * bend_[i]) / 6);
  const double t = (x - a.x) / width, s = 1 - t;
  return s * a.y + t * b.y +
         width * width / 6 * ((s * s * s - s) * bend_[i - 1] + (t * t * t - t) * bend_[i]);
}

const Curves& curves() {
  static const Curves all{through({36, 37, 38, 39}),
                          through({36, 41, 40, 39}),
                          through({17, 18, 19, 20, 21}),
                          through({48, 49, 50, 51, 52, 53, 54}),
                          through({48, 59, 58, 57, 56, 55, 54}),
                          through({60, 61, 62, 63, 64}),
                          through({60, 67, 66, 65, 64}),
                          head_outline()};
  return all;
}

double outline_towards(double x, double y) { return curves().outline.at(std::atan2(std::abs(x), y)); }

double relief(double x, double y) {
  const double side = std::abs(x);
  double z = 0.66 * bump(x, y, 0, 0, 0.80, 1.02);
  // The nose: a ridge whose width and height grow towards its tip.
  const double along = rise(y, -0.55, 0.14) * (1 - rise(y, 0.10, 0.40));
  const double wide = 0.075 + 0.050 * rise(y, -0.2, 0.2);
  z += 0.25 * along * std::exp(-0.5 * (x / wide) * (x / wide));
  z += 0.06 * bump(side, y, 0.14, 0.20, 0.055, 0.06);   // alae of the nose
  z -= 0.07 * bump(side, y, eye_x, eye_y, 0.19, 0.11);  // eye sockets
  z += 0.035 * bump(side, y, 0.45, -0.66, 0.3, 0.09);   // brow ridge
  z += 0.05 * bump(side, y, 0.60, 0.05, 0.20, 0.2);     // cheeks
  z += 0.06 * bump(x, y, 0, 0.61, 0.26, 0.11);          // lips
  z -= 0.03 * bump(x, y, 0, 0.83, 0.2, 0.045);          // crease below the lips
  z += 0.06 * bump(x, y, 0, 0.97, 0.17, 0.09);          // chin
  return z;
}

Point field(int k, double x, double y) {
  const double side = x < 0 ? -1 : 1, across = std::abs(x);
  switch (k) {
    case 0:  // width of the head
      return {0.075 * x, 0};
    case 1:  // width of the jaw
      return {0.10 * x * rise(y, -0.15, 0.95), 0};
    case 2:  // length of the chin
      return {0, 0.085 * rise(y, 0.45, 1.1)};
    case 3:  // distance of the eyes and brows
      return {0.045 * side * rise(across, 0.02, 0.3) * bump(across, y, eye_x, -0.5, 0.22, 0.20), 0};
    case 4: {  // size of the eyes
      const double w = 0.16 * bump(across, y, eye_x, eye_y, 0.17, 0.12);
      return {side * (across - eye_x) * w, (y - eye_y) * w};
    }
    case 5:  // length of the nose
      return {0, 0.06 * bump(x, y, 0, 0.22, 0.24, 0.17)};
    case 6:  // width of the nose
      return {0.22 * x * bump(x, y, 0, 0.22, 0.18, 0.20), 0};
    case 7: {  // width and fullness of the mouth
      const double w = bump(x, y, 0, mouth_y, 0.34, 0.17);
      return {0.13 * x * w, 0.16 * (y - mouth_y) * w};
    }
    case 8: {  // smile
      const double corner = bump(across, y, 0.38, 0.585, 0.17, 0.15);
      return {0.085 * side * corner * rise(across, 0, 0.3), -0.085 * corner};
    }
    case 9: {  // open mouth: the lower lip moves down, and the chin by less
      const double lip = rise(y, gap_top - 0.01, gap_bottom + 0.01) * open_across(x) *
                         (1 - 0.55 * rise(y, 0.66, 1.0)) * (1 - rise(y, 1.05, 1.5));
      const double chin = rise(y, 0.55, 0.95) * bump(x, 0, 0, 0, 0.62, 1) * (1 - rise(y, 1.08, 1.7));
      return {0, 0.185 * lip + 0.085 * chin};
    }
    case 10:  // raised brows
      return {0, -0.095 * bump(across, y, 0.47, brow_y, 0.30, 0.115)};
    default: {  // closed eyes
      const Curves& c = curves();
      const double lx = -across;
      if (lx <= c.upper_lid.first_x() || lx >= c.upper_lid.last_x()) return {0, 0};
      const double gap = c.lower_lid.at(lx) - c.upper_lid.at(lx);
      return {0, 0.80 * gap * follows_lid(lx, y)};
    }
  }
}

}  // namespace triptych::aam_fit::face
