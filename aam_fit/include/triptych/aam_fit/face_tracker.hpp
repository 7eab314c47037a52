// FaceTracker: follows one face through a video, each frame from the shape of the one before it.
#pragma once

#include <triptych/aam_fit/fitter.hpp>

#include <memory>
#include <optional>

namespace triptych::aam_fit {

struct TrackOptions {
  double lost_error = 0;   // error above which the face is lost; 0: learnt from the first frames
  std::optional<Box> box;  // where the face is at first, and again when it was lost
};

class FaceTracker {
 public:
  FaceTracker(const Model& model, const FitterOptions& options, const TrackOptions& track,
              const Device& device);
  FaceTracker(FaceTracker&&) noexcept;
  FaceTracker& operator=(FaceTracker&&) noexcept;
  ~FaceTracker();

  struct Tracked {
    Fit fit;
    bool found = false;
    bool restarted = false;  // from a box, not from the last shape
  };
  // From the last shape; box: where to look instead, or again when the face was lost.
  Tracked track(ImageView<const Grey8> frame, const std::optional<Box>& box = {});
  void reset();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::aam_fit
