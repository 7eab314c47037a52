// FaceCheck: whether the skin of a whole frame is that of a face, for a tracker without a gate. A face that
// was seen counts as long as the skin stays near its place and size, and is looked at again every few frames.
#pragma once

#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "gate/sampler.hpp"
#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

class FaceCheck {
 public:
  explicit FaceCheck(std::unique_ptr<Sampler> brightness) : brightness_(std::move(brightness)) {}

  const Sampler& brightness() const { return *brightness_; }
  void set_brightness(std::unique_ptr<Sampler> sampler) { brightness_ = std::move(sampler); }
  void wait(const Event& event) { brightness_->wait(event); }
  void restart();

  // Whether frames are to be looked at.
  bool wanted() const { return wanted_; }
  // The face_score() of a frame's head.
  template <class F>
  double score(const F& frame, const Head& head);

  // In the order of the frames: the latest score. score: of this frame; none when it was not looked at.
  double next(const Head& head, std::optional<double> score);

 private:
  std::unique_ptr<Sampler> brightness_;
  WeightMap map_;
  bool wanted_ = true;
  int unseen_ = 0;  // frames since the last look
  double face_ = 0;
  Head last_{};
};

extern template double FaceCheck::score(const Frame&, const Head&);
extern template double FaceCheck::score(const DeviceFrame&, const Head&);

}  // namespace triptych::skin_tracker
