// Follows a head by the colour of its skin: in a synthetic video, or in yours, given the face's first box:
//   track_head clip.mp4 X Y WIDTH HEIGHT
#include <triptych/core/opencv.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <opencv2/videoio.hpp>

#include <cstdio>
#include <cstdlib>

using namespace triptych::skin_tracker;

void print(const TrackedHead& head) {
  std::printf("%s: %.1f, %.1f px, %.2f m\n", to_string(head.status).c_str(), head.x_px, head.y_px,
              head.distance_m);
}

int main(int argc, char** argv) try {
  const bool from_file = argc == 6;
  const SyntheticScene scene({.distractor = true});  // with a hand that has the colour of the face
  cv::VideoCapture video;
  triptych::require(!from_file || video.open(argv[1]), "cannot read a video from ", argv[1]);
  cv::Mat mat(scene.options().height, scene.options().width, CV_8UC3);
  auto next = [&, number = 0]() mutable {  // OpenCV reads BGR, the scene renders RGB
    if (from_file) return video.read(mat) ? Frame(triptych::image_view<triptych::Bgr8>(mat)) : Frame();
    if (number == scene.options().frames) return Frame();
    scene.render(number++, triptych::image_view<triptych::Rgb8>(mat));
    return Frame(triptych::image_view<triptych::Rgb8>(mat));
  };
  const auto at = [&](int i) { return std::strtod(argv[i], nullptr); };
  const triptych::Box face = from_file ? triptych::Box{at(2), at(3), at(4), at(5)} : scene.truth(0).box;
  // The box in the first frame says which colours are skin, where to start and how large the head is.
  Frame frame = next();
  Tracker tracker = Tracker::from_box(frame, face);
  for (; !frame.empty(); frame = next()) print(tracker.step(frame));
} catch (const triptych::Error& error) {
  std::fprintf(stderr, "track_head: %s\n", error.what());
  return 1;
}
