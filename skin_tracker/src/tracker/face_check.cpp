#include <algorithm>
#include <cmath>

#include "gate/face_classifier.hpp"
#include "tracker/face_check.hpp"

namespace triptych::skin_tracker {

namespace {

// From frame to frame; what moves or grows more is looked at again,
constexpr double small_move = 0.2, small_growth = 1.15;
// and what moves or grows more than this is something else.
constexpr double max_move = 0.5, max_growth = 1.5;
constexpr int max_unseen = 8;  // frames from one look to the next

// A uniform ellipse is four standard deviations wide and high.
double height_of(const Head& head) { return 4 * std::sqrt(head.yy_px2); }

// move: in heads; growth: of the area, a factor.
bool same_place(const Head& a, const Head& b, double move, double growth) {
  const double most = move * std::min(height_of(a), height_of(b));
  return a.found && b.found && std::abs(a.x_px - b.x_px) <= most && std::abs(a.y_px - b.y_px) <= most &&
         a.area <= growth * b.area && b.area <= growth * a.area;
}

}  // namespace

void FaceCheck::restart() {
  wanted_ = true;
  unseen_ = 0;
  face_ = 0;
  last_ = {};
}

template <class F>
double FaceCheck::score(const F& frame, const Head& head) {
  const double height = std::clamp(height_of(head), 1.0, 2.0 * frame.height());
  // Pixel i covers [i, i + 1) on a map, and has its middle at i in a head.
  const CentredBox skin{head.x_px + 0.5, head.y_px + 0.5, height, height};
  map_.place(face_part(skin), face_finest_px(skin), frame.width(), frame.height());
  brightness_->sample(frame, map_.region(), map_.step(), map_.samples());
  map_.sum_up();
  return face_score(map_, skin);
}

double FaceCheck::next(const Head& head, std::optional<double> score) {
  if (score) {
    face_ = *score;
  } else if (!same_place(head, last_, max_move, max_growth)) {
    face_ = 0;
  }
  unseen_ = score ? 0 : unseen_ + 1;
  wanted_ = face_ < min_face || unseen_ >= max_unseen ||
            !(score || same_place(head, last_, small_move, small_growth));
  last_ = head;
  return face_;
}

template double FaceCheck::score(const Frame&, const Head&);
template double FaceCheck::score(const DeviceFrame&, const Head&);

}  // namespace triptych::skin_tracker
