#include <triptych/aam_fit/appearance.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <algorithm>
#include <cmath>

#include "follow.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

namespace {

bool is_lost(FitStatus status) {
  return status == FitStatus::lost_outside || status == FitStatus::lost_contrast;
}

// How much of a is in b.
double share_inside(const Box& a, cv::Size frame) {
  const double width = std::min(a.x + a.width, static_cast<double>(frame.width)) - std::max(a.x, 0.0);
  const double height = std::min(a.y + a.height, static_cast<double>(frame.height)) - std::max(a.y, 0.0);
  return std::max(0.0, width) * std::max(0.0, height) / (a.width * a.height);
}

}  // namespace

void check_box(const Box& box, cv::Size frame) {
  require(share_inside(box, frame) >= 0.5, "less than half of the box ", box.x, ",", box.y, ",", box.width,
          ",", box.height, " lies in the image of ", frame.width, " x ", frame.height, " pixels");
}

Follower::Follower(const Model& model, const FitterOptions& options, const Device& device, bool track,
                   const std::optional<Box>& init)
    : fitter_(model, options, device), init_(init) {
  if (track) tracker_.emplace(model, options, TrackOptions{}, device);
}

Found Follower::from(const cv::Mat& grey, Shape start) {
  const Stopwatch watch;
  Found result;
  result.fit = fitter_.fit(Face{image_view<Grey8>(grey), start});
  result.ms = watch.elapsed_ms();
  result.start = std::move(start);
  result.found = !is_lost(result.fit.status);
  return result;
}

Box Follower::search(const cv::Mat& grey) {
  const double shorter = std::min(grey.cols, grey.rows);
  Box best{};
  double least = INFINITY;
  for (const double share : {0.5, 0.7, 0.35}) {
    const double size = share * shorter, step = 0.35 * size;
    const int across = 1 + static_cast<int>((grey.cols - size) / step);
    const int down = 1 + static_cast<int>((grey.rows - size) / step);
    for (int i = 0; i < across * down; ++i) {
      const auto along = [](int at, int count, double room) {
        return count == 1 ? room / 2 : room * at / (count - 1);
      };
      const Box box{along(i % across, across, grey.cols - size), along(i / across, down, grey.rows - size),
                    size, size};
      const Fit fit = fitter_.fit(
          Face{image_view<Grey8>(grey), start_in_box(fitter_.model(), box, grey.cols, grey.rows)});
      const Box where = bounds(fit.landmarks);
      const bool sane = !is_lost(fit.status) && std::isfinite(fit.error) &&
                        std::sqrt(where.width * where.height) > 0.5 * size &&
                        share_inside(where, grey.size()) > 0.8;
      if (sane && fit.error < least) {
        least = fit.error;
        best = where;
      }
    }
  }
  if (std::isfinite(least)) return best;
  return {0.25 * grey.cols, 0.25 * grey.rows, 0.5 * grey.cols, 0.5 * grey.rows};
}

GreyImage Follower::texture(const cv::Mat& grey, const Fit& fit) const {
  const Model& model = fitter_.model();
  if (!has_appearance(model)) return fitter_.texture(fit);
  return appearance_picture(model, appearance_of(model, image_view<Grey8>(grey), fit.landmarks));
}

Found Follower::next(const cv::Mat& grey) {
  std::optional<Box> box;
  if (!following_) {
    box = init_ ? *init_ : search(grey);
    if (init_) check_box(*init_, grey.size());
  }
  if (!tracker_) return from(grey, start_in_box(fitter_.model(), *box, grey.cols, grey.rows));

  const Stopwatch watch;
  const FaceTracker::Tracked tracked = tracker_->track(image_view<Grey8>(grey), box);
  Found result{tracked.fit, {}, tracked.found, watch.elapsed_ms()};
  if (box && tracked.restarted) result.start = start_in_box(fitter_.model(), *box, grey.cols, grey.rows);
  following_ = tracked.found;
  return result;
}

}  // namespace triptych::aam_demo
