// A drawing as SVG text: whole on its own (no fonts, scripts or links), white behind, so that it reads on a
// dark page too. Lengths in px, y downwards. All text is escaped here and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace triptych::report {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct Stroke {
  std::string colour = "#000000";
  double width = 1;
  std::string dash = "";  // lengths of strokes and gaps: "6 4"; "" draws through
  double opacity = 1;
};

struct Font {
  double size_px = 12;
  std::string colour = "#333333";
  const char* anchor = "start";  // start, middle, end: which part of the text is at the point
  bool bold = false;
  bool upwards = false;  // turned by a quarter, read from below
  bool halo = false;     // a white rim, for text over lines
};

class Svg {
 public:
  // title is what a screen reader says.
  Svg(double width, double height, std::string_view title);

  void rectangle(const Box& box, std::string_view fill, const Stroke& stroke);
  void line(Point from, Point to, const Stroke& stroke);
  void path(const std::vector<Point>& points, const Stroke& stroke);
  void area(const std::vector<Point>& points, std::string_view fill);
  void dot(Point centre, double radius, std::string_view fill);
  // at is on the base line.
  void text(Point at, std::string_view words, const Font& font);
  // "base" with a raised exponent.
  void power(Point at, int base, int exponent, const Font& font);

  // The whole file; draw nothing afterwards.
  std::string finish();

 private:
  std::string out_;
};

// At most what the text takes in the wide ones of the common sans-serif fonts.
double text_width(std::string_view words, double size_px);

}  // namespace triptych::report
