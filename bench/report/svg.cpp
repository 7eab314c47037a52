#include <algorithm>

#include "svg.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

std::string attribute(std::string_view key, std::string_view value) {
  std::string text(1, ' ');
  text += key;
  text += "=\"";
  text += escape_xml(value);
  text += '"';
  return text;
}

// Two decimals at most, no trailing zeros: small files, the same on every machine.
std::string number(double value) {
  std::string text = fixed(value, 2);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string attribute(std::string_view key, double value) { return attribute(key, number(value)); }

std::string attributes(const Stroke& stroke) {
  std::string text = attribute("stroke", stroke.colour) + attribute("stroke-width", stroke.width);
  if (!stroke.dash.empty()) text += attribute("stroke-dasharray", stroke.dash);
  if (stroke.opacity < 1) text += attribute("stroke-opacity", stroke.opacity);
  return text;
}

std::string attributes(Point at, const Font& font) {
  std::string text = attribute("x", at.x) + attribute("y", at.y) + attribute("font-size", font.size_px) +
                     attribute("fill", font.colour);
  if (std::string_view(font.anchor) != "start") text += attribute("text-anchor", font.anchor);
  if (font.bold) text += attribute("font-weight", "600");
  if (font.upwards) text += attribute("transform", "rotate(-90 " + number(at.x) + " " + number(at.y) + ")");
  if (font.halo) {
    text += attribute("stroke", "#ffffff") + attribute("stroke-width", 3) +
            attribute("stroke-linejoin", "round") + attribute("paint-order", "stroke");
  }
  return text;
}

std::string coordinates(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    if (!text.empty()) text += ' ';
    text += number(point.x) + "," + number(point.y);
  }
  return text;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title) {
  out_ =
      "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) + attribute("height", height) +
      attribute("viewBox", "0 0 " + number(width) + " " + number(height)) +
      " role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\">\n";
  out_ += "<title>" + escape_xml(title) + "</title>\n";
  out_ +=
      "<rect" + attribute("width", width) + attribute("height", height) + " rx=\"8\" fill=\"#ffffff\"/>\n";
}

void Svg::rectangle(const Box& box, std::string_view fill, const Stroke& stroke) {
  out_ += "<rect" + attribute("x", box.left) + attribute("y", box.top) + attribute("width", box.width) +
          attribute("height", box.height) + attribute("fill", fill) + attributes(stroke) + "/>\n";
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  out_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
          attribute("y2", to.y) + attributes(stroke) + "/>\n";
}

void Svg::path(const std::vector<Point>& points, const Stroke& stroke) {
  out_ += "<polyline" + attribute("points", coordinates(points)) +
          " fill=\"none\" stroke-linejoin=\"round\"" + " stroke-linecap=\"round\"" + attributes(stroke) +
          "/>\n";
}

void Svg::area(const std::vector<Point>& points, std::string_view fill) {
  out_ += "<polygon" + attribute("points", coordinates(points)) + attribute("fill", fill) + "/>\n";
}

void Svg::dot(Point centre, double radius, std::string_view fill) {
  out_ += "<circle" + attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius) +
          attribute("fill", fill) + " stroke=\"#ffffff\" stroke-width=\"1\"/>\n";
}

void Svg::text(Point at, std::string_view words, const Font& font) {
  out_ += "<text" + attributes(at, font) + ">" + escape_xml(words) + "</text>\n";
}

void Svg::power(Point at, int base, int exponent, const Font& font) {
  out_ += "<text" + attributes(at, font) + ">" + std::to_string(base) + "<tspan" +
          attribute("dy", -font.size_px * 0.36) + attribute("font-size", font.size_px * 0.78) + ">" +
          std::to_string(exponent) + "</tspan></text>\n";
}

std::string Svg::finish() { return std::move(out_) + "</svg>\n"; }

double text_width(std::string_view words, double size_px) {
  // Counts characters, not bytes: the followers of a UTF-8 character start with the bits 10.
  const auto characters =
      std::count_if(words.begin(), words.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(characters) * size_px * 0.61;
}

}  // namespace triptych::report
