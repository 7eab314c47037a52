// The objective function. F is the mean weight inside the ellipses, B the mean weight outside. beta is the
// number of pixels outside per pixel inside, at most 5. The filter maximises
//
//   G = 2 F / (1 + F + beta B).
//
// G is the Dice overlap of the fuzzy skin with the ellipse. It is 1 when all pixels inside have weight 1 and
// all pixels outside have weight 0. At the optimum a colour has weight when the ratio of its pixels inside to
// its pixels outside is above G / (2 - G). A few pixels of hair inside or of hands outside do not change
// that. Each colour is counted at three brightnesses, so that the filter tolerates a change of light.
//
// For a given normal of the plane the colours are numbers on a line. The best ramp on this line (where the
// weight leaves 0 and where it reaches 1) follows from cumulative sums for all positions and several widths.
// Only the normal is searched: a sweep of the whole sphere on a coarse colour grid, then a refinement. Among
// ramps that are nearly optimal, the one with the least background weight is taken: background far from the
// face moves the centroid of a whole frame more than G shows. Among equal ones the middle one is taken.
//
// When the best filter does not separate the face from the background, the cost of background is raised
// twice. Then the colours are reported as not separable.
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/calibrate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibration/colour_grid.hpp"
#include "calibration/direction_search.hpp"
#include "calibration/histogram.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr double max_background = 5;  // the largest beta
constexpr std::int64_t min_pixels = 64;
constexpr double min_face_weight = 0.25;
constexpr double min_contrast = 1.5;  // of the mean weights; random colours reach it in small ellipses only

// The weight is 0 up to begin and 1 from begin + width on.
struct Ramp {
  double begin = 0, width = 0;
  double score = -1;
  double background = 0;  // its weight times its cost
};

constexpr std::array<int, 1> sweep_widths{16};
// Narrower ramps fit the marked frame better but fail when the light changes.
constexpr std::array<int, 3> final_widths{16, 32, 64};
constexpr double nearly_as_good = 0.002;  // of G
constexpr double nearly_as_tight = 1.1;   // of the background; a wider ramp within this factor is preferred

// The best ramp along a direction, in grey levels.
class RampSearch {
 public:
  // cost: of a background pixel relative to a pixel of the face.
  RampSearch(const std::vector<SharedColour>& colours, double cost) : colours_(colours), cost_(cost) {
    for (const SharedColour& c : colours) all_ += c.face;
  }

  // The best score of any ramp along the normal.
  template <std::size_t n>
  double operator()(const Direction& normal, const std::array<int, n>& widths) {
    gather(normal);
    sum_up(widths.back());
    double best = -1;
    for (const int width : widths) {
      for (int i = lowest_ - width; i <= highest_; ++i) best = std::max(best, ramp_at(i, width).score);
    }
    return best;
  }

  // The ramp to take.
  template <std::size_t n>
  Ramp choose(const Direction& normal, const std::array<int, n>& widths) {
    const double min_score = (*this)(normal, widths) - nearly_as_good;
    Ramp best{};
    for (const int width : widths) {
      const Ramp ramp = tightest(width, min_score);
      if (ramp.score >= 0 &&
          (best.width == 0 || ramp.background <= nearly_as_tight * best.background + 1e-9 * all_))
        best = ramp;
    }
    return best;
  }

 private:
  // Relative brightnesses, and the share of the pixels that is counted at each.
  static constexpr std::array<double, 3> gains{0.8, 1, 1.25};
  static constexpr std::array<double, 3> gain_shares{0.25, 0.5, 0.25};
  // One bin per grey level. No colour is farther from the middle than 1.25 * 255 * sqrt(3), and the widest
  // ramp fits on both sides.
  static constexpr int bin_count = 1280;
  static constexpr int middle = bin_count / 2;

  struct Pixels {
    double face = 0, background = 0;
  };

  Pixels& bin(int i) { return bins_[static_cast<std::size_t>(i)]; }

  void gather(const Direction& normal) {
    std::fill(bins_.begin(), bins_.end(), Pixels{});
    lowest_ = bin_count;
    highest_ = 0;
    for (const SharedColour& c : colours_) {
      const double s = normal.r * c.r + normal.g * c.g + normal.b * c.b;
      for (std::size_t i = 0; i < gains.size(); ++i) {
        const int place = static_cast<int>(s * gains[i] + middle);
        bin(place).face += gain_shares[i] * c.face;
        bin(place).background += gain_shares[i] * c.background;
        lowest_ = std::min(lowest_, place);
        highest_ = std::max(highest_, place);
      }
    }
  }

  // Bin i becomes the sum over all bins j >= i of (j - i + 1) times their pixels.
  void sum_up(int widest) {
    Pixels once, twice;
    for (int i = highest_; i >= lowest_ - widest; --i) {
      once.face += bin(i).face;
      once.background += cost_ * bin(i).background;
      twice.face += once.face;
      twice.background += once.background;
      bin(i) = twice;
    }
  }

  Ramp ramp_at(int i, int width) {
    const double face = (bin(i).face - bin(i + width).face) / width;
    const double background = (bin(i).background - bin(i + width).background) / width;
    return {i - middle - 0.5, static_cast<double>(width), 2 * face / (all_ + face + background), background};
  }

  // The ramp with the least background among those of that width and at least that score: the middle one when
  // several are equal. The score is negative when there is none.
  Ramp tightest(int width, double min_score) {
    Ramp first{0, 0, -1, 0};
    double last_begin = 0;
    for (int i = lowest_ - width; i <= highest_; ++i) {
      const Ramp ramp = ramp_at(i, width);
      if (ramp.score < min_score) continue;
      if (first.score < 0 || ramp.background < first.background - 1e-9 * all_) first = ramp;
      last_begin = ramp.begin;
    }
    first.begin = 0.5 * (first.begin + last_begin);
    return first;
  }

  const std::vector<SharedColour>& colours_;
  double cost_;
  double all_ = 0;
  int lowest_ = 0, highest_ = 0;
  std::vector<Pixels> bins_ = std::vector<Pixels>(bin_count);
};

struct Palette {
  std::vector<SharedColour> fine, coarse;
};

LinearFilter best_filter(const Palette& palette, double cost, int threads) {
  constexpr int directions = 192, chunk = 24;
  std::vector<ScoredDirection> sweep;
  for (const Direction& direction : spread_directions(directions)) sweep.push_back({direction, 0});
  parallel_chunks(directions, chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    RampSearch search(palette.coarse, cost);
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      sweep[i].score = search(sweep[i].direction, sweep_widths);
    }
  });
  RampSearch coarse(palette.coarse, cost), fine(palette.fine, cost);
  const auto coarse_score = [&](const Direction& n) { return coarse(n, sweep_widths); };
  const auto fine_score = [&](const Direction& n) { return fine(n, final_widths); };
  const Direction start = refine_best(std::move(sweep), 3, 0.03, coarse_score).direction;
  const Direction n = refine_direction({start, fine_score(start)}, 0.04, 0.01, fine_score).direction;
  const Ramp ramp = fine.choose(n, final_widths);
  return {n.r / ramp.width, n.g / ramp.width, n.b / ramp.width, -ramp.begin / ramp.width};
}

struct Weights {
  double face = 0, background = 0;
};

Weights mean_weights(const std::vector<SharedColour>& colours, const LinearFilter& filter) {
  Weights sum, all;
  for (const SharedColour& c : colours) {
    const double w = filter.weight(c.r, c.g, c.b);
    sum.face += w * c.face;
    sum.background += w * c.background;
    all.face += c.face;
    all.background += c.background;
  }
  return {sum.face / all.face, sum.background / all.background};
}

// For a gate: the share of the face's pixels in each colour cell. Face and background have the same total,
// and the pixels are counted at three brightnesses, a third at each. A colour is the mean of its cell; it is
// distributed to the eight nearest cells by trilinear weights.
HistogramRatio shares_of_face(const std::vector<SharedColour>& colours, double pixels) {
  constexpr int bits = 5, side = 1 << bits;
  constexpr double cell = 256.0 / side;
  constexpr std::array<double, 3> gains{1 / 1.3, 1, 1.3};
  Weights all;
  for (const SharedColour& c : colours) {
    all.face += c.face;
    all.background += c.background;
  }
  const double scale = pixels / all.face;
  const double cost = std::min(1.0, all.face / all.background);
  std::vector<CellCount> counts(std::size_t{side} * side * side);
  const auto add = [&](const std::array<int, 3>& at, const SharedColour& c, double share) {
    std::size_t i = 0;
    for (const int k : at) i = i * side + static_cast<std::size_t>(std::clamp(k, 0, side - 1));
    counts[i].skin += share * scale * c.face;
    counts[i].other += share * scale * cost * c.background;
  };
  for (const SharedColour& c : colours) {
    for (const double gain : gains) {
      std::array<int, 3> low{};
      std::array<double, 3> above{};
      for (std::size_t i = 0; i < 3; ++i) {
        const double place = std::min(255.0, gain * std::array{c.r, c.g, c.b}[i]) / cell - 0.5;
        low[i] = static_cast<int>(std::floor(place));
        above[i] = place - low[i];
      }
      for (int corner = 0; corner < 8; ++corner) {
        const std::array<int, 3> high{corner >> 2, corner >> 1 & 1, corner & 1};
        double share = 1.0 / gains.size();
        std::array<int, 3> at{};
        for (std::size_t i = 0; i < 3; ++i) {
          share *= high[i] == 1 ? above[i] : 1 - above[i];
          at[i] = low[i] + high[i];
        }
        add(at, c, share);
      }
    }
  }
  return shares_of(bits, std::move(counts));
}

}  // namespace

std::string to_string(CalibrationStatus status) {
  switch (status) {
    case CalibrationStatus::too_few_face_pixels:
      return "The marked ellipse holds too few pixels; mark the whole face, inside the frame.";
    case CalibrationStatus::too_few_background_pixels:
      return "The marked ellipse leaves too few pixels around it; mark the face alone, or move it away from "
             "the "
             "camera.";
    case CalibrationStatus::not_separable:
      return "The face has the colours of what is around it; change the background or the light, or mark the "
             "face more closely.";
  }
  throw InvalidArgument("there is no calibration status number " + std::to_string(static_cast<int>(status)));
}

Calibration calibrate(std::span<const MarkedFrame> frames, int threads) {
  require(!frames.empty(), "cannot calibrate without a frame");
  ColourGrid grid;
  for (const MarkedFrame& marked : frames) grid.add(marked, threads);

  if (grid.face_pixels() < min_pixels) throw CalibrationError(CalibrationStatus::too_few_face_pixels);
  if (grid.background_pixels() < min_pixels)
    throw CalibrationError(CalibrationStatus::too_few_background_pixels);
  const Palette palette{grid.colours(false), grid.colours(true)};
  double face = 0, background = 0;
  for (const SharedColour& c : palette.coarse) {
    face += c.face;
    background += c.background;
  }
  Calibration result;
  result.colours = shares_of_face(palette.fine, static_cast<double>(grid.face_pixels()));
  const double cost = std::min(1.0, max_background * face / background);
  for (const double factor : {1, 4, 16}) {
    const LinearFilter filter = best_filter(palette, cost * factor, threads);
    const Weights weights = mean_weights(palette.fine, filter);
    result.face_weight = weights.face;
    result.background_weight = weights.background;
    if (weights.face >= min_face_weight && weights.face >= min_contrast * weights.background) {
      result.filter = filter;
      result.area = weights.face * grid.face_share();
      return result;
    }
  }
  throw CalibrationError(CalibrationStatus::not_separable);
}

}  // namespace triptych::skin_tracker
