// Why a face was not found, for people.
#include <triptych/aam_fit/face_tracker.hpp>

#include <cstdio>

namespace triptych::aam_fit {

namespace {

// Smaller faces than this have too few pixels to look like one.
constexpr double small_face_px = 16;

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.0f %%", 100 * share);
  return text;
}

}  // namespace

std::string reason(const Fit& fit) {
  switch (fit.status) {
    case FitStatus::lost_outside:
      return "the fit has left the image: start nearer to the face, or use an image that shows all of it";
    case FitStatus::lost_contrast:
      return "nothing at the start has the contrast of a face: start on the face, or use an image that is "
             "less "
             "dark or blurred";
    case FitStatus::lost_no_face:
      if (!fit.landmarks.empty() && face_size(fit.landmarks) < small_face_px)
        return "what was found is too small to tell a face: use a larger image";
      return "what was found does not look like a face of the model (" + percent(fit.confidence) +
             " sure): start on the face, or use a model that was trained on such faces";
    default:
      return {};
  }
}

std::string reason(const TrackedFace& face) {
  switch (face.status) {
    case TrackStatus::tracked:
    case TrackStatus::restarted:
      return {};
    case TrackStatus::no_start:
      return "there is nothing to start from: pass the box of the face, or search for it with find_faces()";
    default:
      break;
  }
  std::string of_fit = reason(face.fit);
  if (!of_fit.empty()) return of_fit;
  return "what was found differs too much from the face in the frames before: pass the box of the face again";
}

}  // namespace triptych::aam_fit
