// HeadPosition: what a tracker reports of a head: status, score, position and distance, smoothed on request.
#pragma once

#include <triptych/skin_tracker/one_euro.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <optional>

namespace triptych::skin_tracker {

class HeadPosition {
 public:
  // The options must outlive this object.
  explicit HeadPosition(const TrackerOptions& options);

  // Forgets the head; frames have that size.
  void restart(int width, int height);
  // The head of the next frame from what was measured in it; lost: why nothing was. A lost head stays where
  // it was.
  TrackedHead next(const Head& raw, const HeadEvidence& evidence, std::optional<HeadStatus> lost,
                   double seconds);

 private:
  void reset_smoothing();

  const TrackerOptions& options_;
  OneEuro x_, y_, distance_;
  TrackedHead last_;
};

}  // namespace triptych::skin_tracker
