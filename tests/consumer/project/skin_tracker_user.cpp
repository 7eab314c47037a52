// Uses Triptych::skin_tracker: a square in skin colour on a dark ground is found where it is.
#include <triptych/core/image.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <cmath>
#include <cstdio>

int main() {
  triptych::Image<triptych::Rgb8> image(320, 240);
  for (std::int64_t y = 80; y < 120; ++y)
    for (std::int64_t x = 200; x < 240; ++x) image.view().at(x, y) = {220, 150, 120};
  triptych::skin_tracker::TrackerOptions options;
  options.min_confidence = 0;  // the square is no face
  triptych::skin_tracker::Tracker tracker(triptych::skin_tracker::generic_skin_filter, options);
  const auto head = tracker.step(triptych::skin_tracker::Frame(image.view()));
  std::printf("%s: %s at %.2f, %.2f\n", tracker.describe().c_str(), to_string(head.status).c_str(), head.x_px,
              head.y_px);
  return head.found() && std::abs(head.x_px - 219.5) < 1 && std::abs(head.y_px - 99.5) < 1 ? 0 : 1;
}
