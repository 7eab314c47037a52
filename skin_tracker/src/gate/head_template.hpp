// HeadTemplate: how a head looks, as a correlation filter over cells of brightness gradients.
//
// The filter is trained by ridge regression so that its response to a picture of the head is a narrow peak at
// the middle of the head's box (Bolme et al. 2010; several channels as in Danelljan et al. 2014). The
// circular correlations are products of Fourier transforms. Cells scale with the box.
#pragma once

#include <array>

#include "gate/gradient_cells.hpp"
#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

class HeadTemplate {
 public:
  static constexpr int cells = GradientCells::cells;
  static constexpr double scale = 2.5;  // of what the cells cover over the box
  using Plane = GradientCells::Plane;

  // The cells around a box, transformed.
  class Picture {
   public:
    Picture(const WeightMap& brightness, const CentredBox& box);

   private:
    friend class HeadTemplate;
    static constexpr int channels = 9;  // eight directions of the gradient, and the brightness
    std::array<Plane, channels> real_, imaginary_;
    CentredBox box_;
  };

  // The responses to shifts of the box.
  class Response {
   public:
    // At a place in the frame, interpolated; 0 for shifts beyond the cells.
    double at(double x, double y) const;
    // The greatest one: about 1 for a picture like those that were learnt.
    double peak() const { return peak_; }
    double peak_x() const { return peak_x_; }
    double peak_y() const { return peak_y_; }
    // The height of the peak over the mean of the others, in their standard deviations: the peak-to-sidelobe
    // ratio. Large for a picture like those that were learnt, about 5 for any other one.
    double sharpness() const { return sharpness_; }

   private:
    friend class HeadTemplate;
    double value(int x, int y) const;  // of a shift by whole cells
    void find_peak();
    Plane values_{};
    CentredBox box_;
    double peak_ = 0, peak_x_ = 0, peak_y_ = 0, sharpness_ = 0;
  };

  bool known() const { return known_; }
  // Approaches the picture by a share, 0 .. 1. The first one is taken whole.
  void learn(const Picture& picture, double share);
  Response match(const Picture& picture) const;
  // The factor by which the head is larger than the box of pictures of it, from their peaks: those of a box
  // that is max_growth times smaller and of one that is as much larger, over that of the box itself. From 1 /
  // max_growth to max_growth.
  static constexpr double max_growth = 1.06;
  static double growth(double smaller, double larger);

 private:
  std::array<Plane, Picture::channels> real_{}, imaginary_{};  // the filter's numerator
  Plane power_{};                                              // and its denominator, without the ridge
  bool known_ = false;
};

}  // namespace triptych::skin_tracker
