// Landmarks as text: .pts and .asf.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace triptych::aam_fit {

namespace {

constexpr std::int64_t max_file_points = 65535;
constexpr double farthest = 1e6;  // pixels, or images: no landmark lies there

std::int64_t point_count(TextScanner& scan) {
  const std::int64_t count = scan.count("the number of points");
  if (count < 1 || count > max_file_points) {
    scan.fail("there must be 1 to " + std::to_string(max_file_points) + " points, not " +
              std::to_string(count));
  }
  return count;
}

double coordinate(TextScanner& scan, const char* what) {
  const double value = scan.number_in_line(what);
  if (!(std::abs(value) <= farthest)) scan.fail(std::string(what) + " is far outside any image");
  return value;
}

void append(std::string& text, double value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), error == std::errc() ? end : digits.data());
}

}  // namespace

Shape parse_pts(std::string_view text, const std::string& file, bool one_based) {
  TextScanner scan(text, file);
  std::string_view word = scan.word();
  if (word == "version:") {
    scan.number("the version");
    word = scan.word();
  }
  if (word != "n_points:") scan.fail("expected \"n_points:\", found " + TextScanner::describe(word));
  const std::int64_t count = point_count(scan);
  scan.expect("{");
  const double origin = one_based ? 1 : 0;
  Shape shape;
  // A line of a point has at least four bytes: what the file cannot hold is not reserved.
  shape.reserve(static_cast<std::size_t>(std::min(count, static_cast<std::int64_t>(text.size()) / 4 + 1)));
  while (static_cast<std::int64_t>(shape.size()) < count) {
    const std::string_view first = scan.word();
    scan.back();
    if (first == "}" || first.empty()) {
      scan.fail("the file says it has " + std::to_string(count) + " points, but there are " +
                std::to_string(shape.size()));
    }
    const double x = coordinate(scan, "x of a point");
    shape.push_back({x - origin, coordinate(scan, "y of a point") - origin});
  }
  scan.expect("}");
  if (!scan.at_end()) {
    scan.word();
    scan.fail("there is more after the closing brace");
  }
  return shape;
}

Shape read_pts(const std::filesystem::path& path, bool one_based) {
  return parse_pts(read_text(path), path.string(), one_based);
}

void write_pts(const std::filesystem::path& path, std::span<const Point> shape) {
  require(!shape.empty() && shape.size() <= static_cast<std::size_t>(max_file_points), "a file has 1 to ",
          max_file_points, " points, not ", shape.size());
  for (const Point p : shape)
    require(std::abs(p.x) <= farthest && std::abs(p.y) <= farthest, "a point at (", p.x, ", ", p.y,
            ") is far outside any image");
  std::string text = "version: 1\nn_points:  " + std::to_string(shape.size()) + "\n{\n";
  for (const Point p : shape) {
    append(text, p.x);
    text += ' ';
    append(text, p.y);
    text += '\n';
  }
  text += "}\n";
  write_file_atomically(path, text);
}

AsfFile parse_asf(std::string_view text, const std::string& file) {
  TextScanner scan(text, file);
  scan.word_past_comments();
  scan.back();
  const std::int64_t count = point_count(scan);
  AsfFile asf;
  asf.relative.reserve(
      static_cast<std::size_t>(std::min(count, static_cast<std::int64_t>(text.size()) / 8 + 1)));
  while (static_cast<std::int64_t>(asf.relative.size()) < count) {
    if (scan.word_past_comments().empty()) {
      scan.fail("the file says it has " + std::to_string(count) + " points, but there are " +
                std::to_string(asf.relative.size()));
    }
    scan.back();
    scan.number_in_line("the path of a point");
    scan.number_in_line("the type of a point");
    const double x = coordinate(scan, "x of a point");
    asf.relative.push_back({x, coordinate(scan, "y of a point")});
    scan.rest_of_line();
  }
  if (!scan.word_past_comments().empty()) {
    scan.back();
    asf.image = std::string(scan.rest_of_line());
    if (!scan.word_past_comments().empty()) scan.fail("there is more after the name of the image");
  }
  return asf;
}

AsfFile read_asf(const std::filesystem::path& path) { return parse_asf(read_text(path), path.string()); }

}  // namespace triptych::aam_fit
