#include <algorithm>
#include <cmath>
#include <utility>

#include "gate/face_classifier.hpp"
#include "gate/gate_window.hpp"

namespace triptych::skin_tracker {

namespace {

// The measured window relative to the gate's box: includes a head that has grown or moved a little.
constexpr double window_scale = 1.15;
// The first search of a whole frame has about sixteen samples across the head.
constexpr double coarse_share = 2;
constexpr std::size_t coarse_samples = 4096;
// Brightness needs fewer samples across the head than weights.
constexpr double brightness_share = 1.6;

}  // namespace

PixelBox enclosing_pixels(double left, double top, double right, double bottom, int width, int height) {
  const auto edge = [](double v, int most) { return static_cast<int>(std::clamp(v, 0.0, double(most))); };
  const int x = edge(std::floor(left), width), y = edge(std::floor(top), height);
  const PixelBox box{x, y, edge(std::ceil(right), width) - x, edge(std::ceil(bottom), height) - y};
  return box.empty() ? PixelBox{} : box;
}

GateWindow::GateWindow(std::unique_ptr<Sampler> weights, std::unique_ptr<Sampler> brightness)
    : weights_(std::move(weights)), brightness_(std::move(brightness)), gate_(0, 0, {}) {}

void GateWindow::restart(int width, int height, const std::optional<PixelBox>& start) {
  gate_ = Gate(width, height, start);
}

template <class F>
std::optional<PixelBox> GateWindow::move(const F& frame) {
  if (!find(frame)) return std::nullopt;
  if (gate_.wants_face()) {
    const CentredBox& skin = gate_.found();
    gate_.check_face(sample(frame, face_part(skin), *brightness_, brightness_map_, face_finest_px(skin)));
  }
  const CentredBox box = gate_.head().scaled(window_scale);
  return enclosing_pixels(box.x - box.width / 2, box.y - box.height / 2, box.x + box.width / 2,
                          box.y + box.height / 2, frame.width(), frame.height());
}

template <class F>
bool GateWindow::find(const F& frame) {
  const double head_px = gate_.head_px();
  if (gate_.can_follow() && gate_.follow(sample(frame, gate_.near(), *weights_, map_, head_px),
                                         sample(frame, gate_.looks_near(), *brightness_, brightness_map_,
                                                brightness_share * head_px)))
    return true;
  if (gate_.is_known() && gate_.find_around(sample(frame, gate_.around(), *weights_, map_, head_px),
                                            sample(frame, gate_.looks_around(), *brightness_, brightness_map_,
                                                   brightness_share * head_px)))
    return true;
  sample(frame, gate_.whole(), *weights_, map_, coarse_share * head_px, coarse_samples);
  has_weight_ = map_.inside(gate_.whole()).weight > 0;
  if (!gate_.search(map_)) return false;
  const CentredBox part = gate_.candidate();
  const double finest_px = std::min(part.width, part.height) / 2;
  return gate_.acquire(
      sample(frame, part, *weights_, map_, finest_px),
      sample(frame, gate_.looks_of_candidate(), *brightness_, brightness_map_, brightness_share * finest_px));
}

template <class F>
const WeightMap& GateWindow::sample(const F& frame, const CentredBox& part, Sampler& by, WeightMap& map,
                                    double finest_px, std::size_t max_count) {
  map.place(part, finest_px, frame.width(), frame.height(), max_count);
  by.sample(frame, map.region(), map.step(), map.samples());
  map.sum_up();
  return map;
}

template std::optional<PixelBox> GateWindow::move(const Frame&);
template std::optional<PixelBox> GateWindow::move(const DeviceFrame&);

}  // namespace triptych::skin_tracker
