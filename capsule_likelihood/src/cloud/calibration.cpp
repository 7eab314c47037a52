// calib.txt of the Middlebury stereo data.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace triptych::capsule_likelihood {

namespace {

using Matrix = std::array<double, 9>;

// "[f 0 cx; 0 f cy; 0 0 1]", with spaces anywhere.
Matrix read_matrix(TextScanner& scan, std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    scan.fail("expected a matrix such as [f 0 cx; 0 f cy; 0 0 1]");
  }
  std::string spaced;
  for (const char c : text.substr(1, text.size() - 2))
    spaced += c == ';' || c == ',' ? std::string(" ; ") : std::string(1, c);
  TextScanner inside(spaced, "");
  Matrix matrix = {};
  std::size_t filled = 0;
  for (std::string_view word = inside.word(); !word.empty(); word = inside.word()) {
    if (word == ";") continue;
    if (filled == matrix.size()) scan.fail("the matrix has more than 9 numbers");
    matrix[filled++] = scan.to_number(word, "an entry of the matrix");
  }
  if (filled != matrix.size())
    scan.fail("the matrix has " + std::to_string(filled) + " numbers instead of 9");
  const auto is_focal = [](double f) { return f >= 1e-3 && f <= 1e9; };
  if (!is_focal(matrix[0]) || !is_focal(matrix[4]))
    scan.fail("the focal lengths must be above 0: 0.001 to 1e9 px");
  if (std::abs(matrix[2]) > 1e9 || std::abs(matrix[5]) > 1e9) scan.fail("the centre must be within 1e9 px");
  return matrix;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

StereoCalibration parse_calibration(std::string_view text, const std::string& file) {
  TextScanner scan(text, file);
  std::optional<Matrix> left, right;
  std::map<std::string, double, std::less<>> numbers;
  while (!scan.at_end()) {
    const std::string_view line = scan.rest_of_line();
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) scan.fail("expected key=value, found " + shown(line));
    const std::string_view key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (key == "cam0") {
      left = read_matrix(scan, value);
    } else if (key == "cam1") {
      right = read_matrix(scan, value);
    } else if (key == "doffs" || key == "baseline" || key == "width" || key == "height") {
      const double number = scan.to_number(value, std::string(key));
      if (key != "doffs" && !(number > 0 && number < 1e9)) {
        scan.fail(std::string(key) + " must be above 0 and below 1e9");
      }
      if (std::abs(number) > 1e9) scan.fail(std::string(key) + " must be within 1e9");
      numbers[std::string(key)] = number;
    }
  }
  const auto missing = [&](const char* key) {
    throw ParseError(file, 0, 0, std::string("expected the key ") + key + ", which is missing");
  };
  if (!left) missing("cam0");
  if (!numbers.contains("baseline")) missing("baseline");
  if (!numbers.contains("doffs") && !right) missing("doffs or cam1");
  StereoCalibration calibration;
  calibration.left = {(*left)[0], (*left)[4], (*left)[2], (*left)[5]};
  calibration.offset_px = numbers.contains("doffs") ? numbers["doffs"] : (*right)[2] - (*left)[2];
  calibration.baseline_m = numbers["baseline"] * 0.001;
  if (numbers.contains("width")) calibration.width = static_cast<int>(numbers["width"]);
  if (numbers.contains("height")) calibration.height = static_cast<int>(numbers["height"]);
  return calibration;
}

StereoCalibration read_calibration(const std::filesystem::path& path) {
  return parse_calibration(read_text(path), path.string());
}

}  // namespace triptych::capsule_likelihood
