// Skin colour classifiers: a weight from 0 to 1 for every colour. They are trained from labelled pixels and
// stored in JSON files.
#pragma once

#include <triptych/core/json.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/filter.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace triptych::skin_tracker {

// crcb: Cr and Cb of full-range BT.601. rg: R and G divided by R + G + B. hsv: saturation and hue as polar
// coordinates, and value.
enum class ColourSpace { rgb, crcb, rg, hsv };

// Normal distributions of skin and of other colours. The weight is the posterior probability of skin.
struct GaussianPair {
  struct Normal {
    std::array<double, 3> mean{};
    std::array<double, 9> precision{};  // inverse covariance, row-major; unused rows are 0
    double log_scale = 0;               // log prior - log sqrt(det(2 pi covariance))
  };
  ColourSpace space = ColourSpace::crcb;
  Normal skin, other;
};

// An ellipse in (Cr, Cb). The weight is 1 at the centre and 1/2 on the edge, linear in the squared
// Mahalanobis distance.
struct ChrominanceEllipse {
  std::array<double, 2> mean{};
  std::array<double, 3> precision{};  // xx, xy, yy
  double edge = 1;                    // squared distance of the edge
  double softness = 1;                // squared distance over which the weight falls from 1 to 0
};

// For each cell of a grid over RGB the share of skin among its training pixels.
struct HistogramRatio {
  int bits = 5;              // of each channel: (2^bits)^3 cells
  std::vector<float> share;  // red major, then green, then blue
};

using Classifier = std::variant<LinearFilter, GaussianPair, ChrominanceEllipse, HistogramRatio>;

// InvalidArgument when the classifier is not valid: an unknown colour space, a histogram of a wrong size.
float weight(const Classifier& classifier, Rgb8 colour);

struct LabelledPixel {
  Rgb8 colour;
  bool skin;
};

// "linear", "gaussian_rgb", "gaussian_crcb", "gaussian_rg", "gaussian_hsv", "ellipse", "histogram".
std::span<const std::string_view> classifier_names();
// InvalidArgument when the name is unknown (the message lists the names) or one of the classes has too few
// pixels.
Classifier train_classifier(std::string_view name, std::span<const LabelledPixel> pixels);
// The name for train_classifier().
std::string_view name_of(const Classifier& classifier);

// Rows "B,G,R,label" without a header, label 1 = skin, 2 = not; any line ends. ParseError with the line.
std::vector<LabelledPixel> read_labelled_pixels(const std::filesystem::path& csv);

// A histogram's cells go into a file beside it, <file>.table. Each file is written atomically.
// InvalidArgument when the classifier has a number that load_classifier() would refuse, Error when a file
// cannot be written.
void save_classifier(const std::filesystem::path& file, const Classifier& classifier);
// ParseError that names the file and what is wrong with it.
Classifier load_classifier(const std::filesystem::path& file);

struct Evaluation {
  std::int64_t true_skin = 0, false_skin = 0, true_other = 0, false_other = 0;
  double accuracy() const;
  double precision() const;  // true skin / all that is classified as skin
  double recall() const;     // true skin / all skin
  double f1() const;
};
// A pixel is classified as skin when its weight is at least 1/2.
Evaluation evaluate(const Classifier& classifier, std::span<const LabelledPixel> pixels);

struct PixelSplit {
  std::vector<LabelledPixel> train, test;
};
// Two random halves; the same for the same seed.
PixelSplit split_in_halves(std::span<const LabelledPixel> pixels, std::uint64_t seed);

}  // namespace triptych::skin_tracker
