#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "calibration/direction_search.hpp"
#include "calibration/histogram.hpp"
#include "colour/classifier_math.hpp"

namespace triptych::skin_tracker {

namespace {

// A colour and its number of training pixels in each class.
struct CountedColour {
  double r, g, b;
  double skin, other;
};

// The different colours among the pixels, in a fixed order.
std::vector<CountedColour> colours_of(std::span<const LabelledPixel> pixels) {
  std::vector<std::uint32_t> keys;
  keys.reserve(pixels.size());
  for (const LabelledPixel& p : pixels) {
    keys.push_back(static_cast<std::uint32_t>(p.colour.r) << 17 |
                   static_cast<std::uint32_t>(p.colour.g) << 9 | static_cast<std::uint32_t>(p.colour.b) << 1 |
                   static_cast<std::uint32_t>(p.skin));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<CountedColour> colours;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t key = keys[i];
    if (i == 0 || key >> 1 != keys[i - 1] >> 1) {
      colours.push_back({static_cast<double>(key >> 17), static_cast<double>(key >> 9 & 255),
                         static_cast<double>(key >> 1 & 255), 0, 0});
    }
    ++(key & 1 ? colours.back().skin : colours.back().other);
  }
  return colours;
}

struct Totals {
  double skin = 0, other = 0;
};

Totals count(std::span<const LabelledPixel> pixels) {
  const auto skin = std::count_if(pixels.begin(), pixels.end(), [](const auto& p) { return p.skin; });
  return {static_cast<double>(skin), static_cast<double>(pixels.size()) - static_cast<double>(skin)};
}

// The number of correctly classified pixels, minus a penalty when less than half of a class is correct.
// Without the penalty a rule that classifies nothing as skin could win when most pixels are not skin.
double score(double skin_right, double other_right, const Totals& totals) {
  const double penalty =
      std::max(0.0, 0.5 - skin_right / totals.skin) + std::max(0.0, 0.5 - other_right / totals.other);
  return skin_right + other_right - penalty * (totals.skin + totals.other);
}

struct Ranked {
  double value;
  double skin, other;
};

struct Cut {
  double value, score;
};

// Skin lies above the cut, or below it when `below` is true. The cut is midway between two values.
Cut best_cut(std::vector<Ranked>& ranked, bool below, const Totals& totals) {
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.value < b.value; });
  Totals passed;
  Cut best{0, -1e300};
  for (std::size_t i = 0; i + 1 < ranked.size(); ++i) {
    passed.skin += ranked[i].skin;
    passed.other += ranked[i].other;
    if (!(ranked[i].value < ranked[i + 1].value)) continue;
    const double right = below ? score(passed.skin, totals.other - passed.other, totals)
                               : score(totals.skin - passed.skin, passed.other, totals);
    if (right > best.score) best = {0.5 * (ranked[i].value + ranked[i + 1].value), right};
  }
  require(best.score > -1e300, "cannot train: all pixels have the same colour; give pixels that differ");
  return best;
}

// The score of the best cut along a direction, from a histogram of the projections: exact up to a bin.
class DirectionScore {
 public:
  DirectionScore(std::span<const CountedColour> colours, const Totals& totals)
      : colours_(colours), totals_(totals), bins_(bin_count) {}

  double operator()(const Direction& n) {
    std::fill(bins_.begin(), bins_.end(), Totals{});
    constexpr double middle = 0.5 * bin_count;
    constexpr double scale = middle / 442;  // the largest projection on a unit vector
    for (const CountedColour& c : colours_) {
      const double s = n.r * c.r + n.g * c.g + n.b * c.b;
      Totals& bin = bins_[static_cast<std::size_t>(middle + s * scale)];
      bin.skin += c.skin;
      bin.other += c.other;
    }
    Totals passed;
    double best = -1e300;
    for (const Totals& bin : bins_) {
      passed.skin += bin.skin;
      passed.other += bin.other;
      best = std::max(best, score(totals_.skin - passed.skin, passed.other, totals_));
    }
    return best;
  }

 private:
  static constexpr int bin_count = 8192;
  std::span<const CountedColour> colours_;
  Totals totals_;
  std::vector<Totals> bins_;
};

// The slope k of the logistic curve 1 / (1 + exp(-k (s - cut))) with the largest likelihood. The likelihood
// is concave in k: its derivative is bisected.
double logistic_slope(std::span<const Ranked> ranked, double cut, double least, double most) {
  const auto derivative = [&](double k) {
    double sum = 0;
    for (const Ranked& r : ranked) {
      const double s = r.value - cut;
      const double p = 1 / (1 + std::exp(-k * s));
      sum += s * (r.skin * (1 - p) - r.other * p);
    }
    return sum;
  };
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (least + most);
    (derivative(middle) > 0 ? least : most) = middle;
  }
  return 0.5 * (least + most);
}

// The plane that classifies most pixels correctly. Its weight is 1/2 on the boundary. Its slope is that of
// the logistic curve at this point, limited to ramps of 4 to 255 grey levels.
LinearFilter train_linear(std::span<const LabelledPixel> pixels, const Totals& totals) {
  const std::vector<CountedColour> colours = colours_of(pixels);
  DirectionScore direction_score(colours, totals);
  std::vector<ScoredDirection> sweep;
  for (const Direction& direction : spread_directions(256)) {
    sweep.push_back({direction, direction_score(direction)});
  }
  const Direction n = refine_best(std::move(sweep), 4, 0.002, direction_score).direction;

  std::vector<Ranked> ranked;
  ranked.reserve(colours.size());
  for (const CountedColour& c : colours) ranked.push_back({dot(n, {c.r, c.g, c.b}), c.skin, c.other});
  const Cut cut = best_cut(ranked, false, totals);
  const double slope = logistic_slope(ranked, cut.value, 4.0 / 255, 4.0 / 4) / 4;
  return {slope * n.r, slope * n.g, slope * n.b, 0.5 - slope * cut.value};
}

struct ColourMoments {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
};

// Mean and covariance of one class. The variance of the rounding to 8 bits is added, so that no covariance is
// singular.
ColourMoments colour_moments(std::span<const LabelledPixel> pixels, bool skin, ColourSpace space) {
  const auto point = [&](const LabelledPixel& p) {
    const Point3 v = point_of(space, p.colour.r, p.colour.g, p.colour.b);
    return Eigen::Vector3d(v.x, v.y, v.z);
  };
  ColourMoments result;
  double n = 0;
  for (const LabelledPixel& p : pixels) {
    if (p.skin != skin) continue;
    result.mean += point(p);
    ++n;
  }
  result.mean /= n;
  for (const LabelledPixel& p : pixels) {
    if (p.skin != skin) continue;
    const Eigen::Vector3d v = point(p) - result.mean;
    result.covariance += v * v.transpose();
  }
  result.covariance /= n;
  const bool of_bytes = space == ColourSpace::rgb || space == ColourSpace::crcb;
  const double step = of_bytes ? 1 : 1.0 / 255;
  result.covariance.diagonal().array() += step * step / 12;
  return result;
}

int dimensions(ColourSpace space) { return space == ColourSpace::rgb || space == ColourSpace::hsv ? 3 : 2; }

GaussianPair::Normal normal_of(const ColourMoments& m, ColourSpace space, double prior) {
  constexpr double two_pi = 6.283185307179586;
  const int n = dimensions(space);
  const Eigen::MatrixXd covariance = m.covariance.topLeftCorner(n, n);
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
  const Eigen::MatrixXd precision = 0.5 * (inverse + inverse.transpose());  // exactly symmetric
  GaussianPair::Normal normal;
  normal.log_scale = std::log(prior) - 0.5 * n * std::log(two_pi);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    normal.mean[i] = m.mean[row];
    normal.log_scale -= std::log(factor.matrixLLT()(row, row));
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      normal.precision[3 * i + j] = precision(row, column);
    }
  }
  return normal;
}

GaussianPair train_gaussian(ColourSpace space, std::span<const LabelledPixel> pixels, const Totals& totals) {
  const double all = totals.skin + totals.other;
  return {space, normal_of(colour_moments(pixels, true, space), space, totals.skin / all),
          normal_of(colour_moments(pixels, false, space), space, totals.other / all)};
}

// The ellipse of the skin's covariance. Its edge is the squared distance that classifies most training pixels
// correctly. The weight falls from 1 to 0 between 0.5 and 1.5 times the edge.
ChrominanceEllipse train_ellipse(std::span<const LabelledPixel> pixels, const Totals& totals) {
  const GaussianPair::Normal normal =
      normal_of(colour_moments(pixels, true, ColourSpace::crcb), ColourSpace::crcb, 1);
  ChrominanceEllipse ellipse;
  ellipse.mean = {normal.mean[0], normal.mean[1]};
  ellipse.precision = {normal.precision[0], normal.precision[1], normal.precision[4]};
  EllipseNumbers numbers = numbers_of(ellipse);
  std::vector<Ranked> ranked;
  for (const CountedColour& c : colours_of(pixels)) {
    ranked.push_back({squared_distance(numbers, c.r, c.g, c.b), c.skin, c.other});
  }
  ellipse.edge = best_cut(ranked, true, totals).value;
  ellipse.softness = ellipse.edge;
  return ellipse;
}

HistogramRatio train_histogram(std::span<const LabelledPixel> pixels) {
  constexpr int bits = 5;
  std::vector<CellCount> cells(std::size_t{1} << (3 * bits));
  for (const LabelledPixel& p : pixels) {
    CellCount& cell = cells[static_cast<std::size_t>(cell_of(bits, p.colour.r, p.colour.g, p.colour.b))];
    ++(p.skin ? cell.skin : cell.other);
  }
  return shares_of(bits, std::move(cells));
}

// The cell of the next coarser grid that contains cell i of (2^level)^3 cells.
std::size_t larger_cell(std::size_t i, int level) {
  const std::size_t side = std::size_t{1} << level;
  const std::size_t r = i / side / side / 2, g = i / side % side / 2, b = i % side / 2;
  return (r * side / 2 + g) * side / 2 + b;
}

}  // namespace

HistogramRatio shares_of(int bits, std::vector<CellCount> cells) {
  constexpr double prior_pixels = 1;
  std::vector<std::vector<CellCount>> levels(static_cast<std::size_t>(bits) + 1);
  levels.back() = std::move(cells);
  for (int level = bits; level > 1; --level) {
    const std::vector<CellCount>& small = levels[static_cast<std::size_t>(level)];
    std::vector<CellCount>& large = levels[static_cast<std::size_t>(level - 1)];
    large.resize(small.size() / 8);
    for (std::size_t i = 0; i < small.size(); ++i) {
      CellCount& cell = large[larger_cell(i, level)];
      cell.other += small[i].other;
      cell.skin += small[i].skin;
    }
  }
  std::vector<float> larger(1, 0.0f);
  for (int level = 1; level <= bits; ++level) {
    const std::vector<CellCount>& counts = levels[static_cast<std::size_t>(level)];
    std::vector<float> share(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double above = larger[level == 1 ? 0 : larger_cell(i, level)];
      share[i] = static_cast<float>((counts[i].skin + prior_pixels * above) /
                                    (counts[i].other + counts[i].skin + prior_pixels));
    }
    larger = std::move(share);
  }
  return {bits, std::move(larger)};
}

Classifier train_classifier(std::string_view name, std::span<const LabelledPixel> pixels) {
  constexpr double fewest = 8;
  const auto names = classifier_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string known;
    for (const std::string_view n : names) known.append(known.empty() ? "" : ", ").append(n);
    throw InvalidArgument("\"" + std::string(name.substr(0, 80)) + "\" is no classifier; expected one of " +
                          known);
  }
  const Totals totals = count(pixels);
  require(totals.skin >= fewest && totals.other >= fewest, "cannot train with ", totals.skin,
          " pixels of skin and ", totals.other, " others; give at least ", fewest, " of each");
  if (name == "linear") return train_linear(pixels, totals);
  if (name == "gaussian_rgb") return train_gaussian(ColourSpace::rgb, pixels, totals);
  if (name == "gaussian_crcb") return train_gaussian(ColourSpace::crcb, pixels, totals);
  if (name == "gaussian_rg") return train_gaussian(ColourSpace::rg, pixels, totals);
  if (name == "gaussian_hsv") return train_gaussian(ColourSpace::hsv, pixels, totals);
  if (name == "ellipse") return train_ellipse(pixels, totals);
  return train_histogram(pixels);
}

}  // namespace triptych::skin_tracker
