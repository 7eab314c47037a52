// GateWindow: the part of a frame in which a gated tracker measures. It samples weights for the gate and
// moves with the head.
#pragma once

#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "gate/gate.hpp"
#include "gate/sampler.hpp"
#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

// The pixels of a frame of that size that a box given by its edges touches; empty when it touches none. The
// edges are not NaN.
PixelBox enclosing_pixels(double left, double top, double right, double bottom, int width, int height);

class GateWindow {
 public:
  // By the weights that the window follows, and by brightness, which tells how the head looks.
  GateWindow(std::unique_ptr<Sampler> weights, std::unique_ptr<Sampler> brightness);

  const Sampler& weights() const { return *weights_; }
  const Sampler& brightness() const { return *brightness_; }
  void set_weights(std::unique_ptr<Sampler> sampler) { weights_ = std::move(sampler); }
  void set_brightness(std::unique_ptr<Sampler> sampler) { brightness_ = std::move(sampler); }
  // Later samples of frames in device memory are read after event.
  void wait(const Event& event) {
    weights_->wait(event);
    brightness_->wait(event);
  }
  // Forgets the head. The next frame, of that size, is searched at the start box, or as a whole.
  void restart(int width, int height, const std::optional<PixelBox>& start);

  // Moves to the head and returns the pixels to be measured; none when the head is lost.
  template <class F>
  std::optional<PixelBox> move(const F& frame);
  // Whether the search of the last frame in which the head was lost has met any weight.
  bool has_weight() const { return has_weight_; }

  // What move() changes, for a caller that has to take a frame back.
  const Gate& gate() const { return gate_; }
  void set_gate(const Gate& gate) { gate_ = gate; }

 private:
  template <class F>
  static const WeightMap& sample(const F& frame, const CentredBox& part, Sampler& by, WeightMap& map,
                                 double finest_px, std::size_t max_count = WeightMap::max_samples);
  template <class F>
  bool find(const F& frame);

  std::unique_ptr<Sampler> weights_, brightness_;
  Gate gate_;
  WeightMap map_, brightness_map_;
  bool has_weight_ = false;
};

extern template std::optional<PixelBox> GateWindow::move(const Frame&);
extern template std::optional<PixelBox> GateWindow::move(const DeviceFrame&);

}  // namespace triptych::skin_tracker
