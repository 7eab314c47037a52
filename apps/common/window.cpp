#include <common/program.hpp>
#include <common/window.hpp>
#include <opencv2/highgui.hpp>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace triptych::apps {

bool has_display() {
  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  if (wayland != nullptr && *wayland != '\0') return true;
  const char* x11 = std::getenv("DISPLAY");
  if (x11 == nullptr || *x11 == '\0') return false;
  if (*x11 != ':') return true;
  // A local display that is not there would end the program inside the window library.
  const std::string number = std::string(x11 + 1).substr(0, std::string(x11 + 1).find('.'));
  std::error_code ignored;
  return std::filesystem::exists("/tmp/.X11-unix/X" + number, ignored);
}

Window::~Window() {
  if (!shown_) return;
  try {
    cv::destroyWindow(title_);
  } catch (const cv::Exception&) {  // closed already
  }
}

bool Window::show(const cv::Mat& bgr) {
  const QuietStderr quiet;
  constexpr int escape = 27;
  if (shown_ && cv::getWindowProperty(title_, cv::WND_PROP_VISIBLE) < 1) return false;
  if (!shown_) cv::namedWindow(title_, cv::WINDOW_NORMAL | cv::WINDOW_KEEPRATIO);
  if (!shown_) cv::resizeWindow(title_, bgr.cols, bgr.rows);
  shown_ = true;
  cv::imshow(title_, bgr);
  const int key = cv::waitKey(1) & 0xFF;
  return key != 'q' && key != escape;
}

}  // namespace triptych::apps
