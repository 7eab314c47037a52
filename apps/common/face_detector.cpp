#include <triptych/core/error.hpp>

#include <opencv2/imgproc.hpp>

#include "common/face_detector.hpp"
#if TRIPTYCH_HAS_OBJDETECT
#include <opencv2/objdetect.hpp>
#endif

#include <algorithm>

namespace triptych::apps {

namespace {

constexpr const char* cascade_name = "haarcascade_frontalface_default.xml";
constexpr const char* cascade_folders[] = {"/usr/share/opencv4/haarcascades",
                                           "/usr/share/opencv/haarcascades",
                                           "/usr/local/share/opencv4/haarcascades"};

}  // namespace

#if TRIPTYCH_HAS_OBJDETECT

struct FaceDetector::Impl {
  cv::CascadeClassifier cascade;
};

FaceDetector::FaceDetector(const std::filesystem::path& cascade) {
  std::filesystem::path file = cascade;
  std::error_code ignored;
  for (const char* folder : cascade_folders) {
    const std::filesystem::path candidate = std::filesystem::path(folder) / cascade_name;
    if (file.empty() && std::filesystem::is_regular_file(candidate, ignored)) file = candidate;
  }
  if (file.empty()) {
    reason_ = std::string("OpenCV's face detector is not used, because ") + cascade_name +
              " is not installed (package opencv-data)";
    return;
  }
  auto made = std::make_unique<Impl>();
  bool loaded = false;
  try {
    loaded = std::filesystem::is_regular_file(file, ignored) && made->cascade.load(file.string());
  } catch (const cv::Exception&) {
    loaded = false;
  }
  if (!loaded) throw Error(file.string() + " cannot be read as a cascade of OpenCV");
  impl_ = std::move(made);
}

std::vector<Box> FaceDetector::detect(const cv::Mat& grey) {
  if (!impl_) return {};
  // Equalised, as the cascade was trained; faces of 4 % of the height, but no less than the cascade's 24
  // pixels.
  cv::Mat equalised;
  cv::equalizeHist(grey, equalised);
  const int least = std::max(24, grey.rows / 25);
  std::vector<cv::Rect> found;
  constexpr double factor = 1.1;
  constexpr int neighbours = 4;
  impl_->cascade.detectMultiScale(equalised, found, factor, neighbours, 0, {least, least});
  std::sort(found.begin(), found.end(), [](const cv::Rect& a, const cv::Rect& b) {
    return a.area() != b.area() ? a.area() > b.area() : a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  std::vector<Box> boxes;
  boxes.reserve(found.size());
  for (const cv::Rect& r : found)
    boxes.push_back({static_cast<double>(r.x), static_cast<double>(r.y), static_cast<double>(r.width),
                     static_cast<double>(r.height)});
  return boxes;
}

#else

struct FaceDetector::Impl {};

FaceDetector::FaceDetector(const std::filesystem::path& cascade) {
  if (!cascade.empty()) throw Error("--cascade needs a build with OpenCV's module objdetect");
  reason_ = "OpenCV's face detector is not used, because this build has no objdetect";
}
std::vector<Box> FaceDetector::detect(const cv::Mat&) { return {}; }

#endif

FaceDetector::FaceDetector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FaceDetector FaceDetector::none() { return FaceDetector(std::unique_ptr<Impl>()); }
FaceDetector::~FaceDetector() = default;
FaceDetector::FaceDetector(FaceDetector&&) noexcept = default;
FaceDetector& FaceDetector::operator=(FaceDetector&&) noexcept = default;

}  // namespace triptych::apps
