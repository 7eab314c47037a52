// Which colours are skin: classifiers that give every colour a weight from 0 to 1, trained from labelled
// pixels, kept in JSON files.
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

// crcb: the chrominances of full-range BT.601. rg: r and g of R + G + B. hsv: hue as a point on a circle of
// radius saturation, and value.
enum class ColourSpace { rgb, crcb, rg, hsv };

// Two normal distributions, skin and not; the weight is the probability of skin (Bayes).
struct GaussianPair {
  struct Normal {
    std::array<double, 3> mean{};
    std::array<double, 9> precision{};  // inverse covariance, row-major; unused rows are 0
    double log_scale = 0;               // log prior - log sqrt(det(2 pi covariance))
  };
  ColourSpace space = ColourSpace::crcb;
  Normal skin, other;
};

// An ellipse in (Cr, Cb): weight 1 at its middle, 1/2 on its edge, falling with the Mahalanobis distance.
struct ChrominanceEllipse {
  std::array<double, 2> mean{};
  std::array<double, 3> precision{};  // xx, xy, yy
  double edge = 1;                    // squared distance of the edge
  double softness = 1;                // squared distance over which the weight falls
};

// For each cell of a grid over RGB the share of training pixels that were skin.
struct HistogramRatio {
  int bits = 5;              // of each channel: (2^bits)^3 cells
  std::vector<float> share;  // red major, then green, then blue
};

using Classifier = std::variant<LinearFilter, GaussianPair, ChrominanceEllipse, HistogramRatio>;

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
// The name under which it would be trained.
std::string_view name_of(const Classifier& classifier);

// Rows "B,G,R,label" without a header, label 1 = skin, 2 = not; any line ends. ParseError with the line.
std::vector<LabelledPixel> read_labelled_pixels(const std::filesystem::path& csv);

// A histogram's cells go into a file beside it, <file>.table. Atomic. Error when they cannot be written.
void save_classifier(const std::filesystem::path& file, const Classifier& classifier);
// ParseError that names the file and what is wrong with it.
Classifier load_classifier(const std::filesystem::path& file);

struct Evaluation {
  std::int64_t true_skin = 0, false_skin = 0, true_other = 0, false_other = 0;
  double accuracy() const;
  double precision() const;  // of what is called skin, how much is
  double recall() const;     // of what is skin, how much is called so
  double f1() const;
};
// A pixel is called skin when its weight is at least 1/2.
Evaluation evaluate(const Classifier& classifier, std::span<const LabelledPixel> pixels);

struct PixelSplit {
  std::vector<LabelledPixel> train, test;
};
// A random half each; the same for the same seed.
PixelSplit split_in_halves(std::span<const LabelledPixel> pixels, std::uint64_t seed);

}  // namespace triptych::skin_tracker
