// Window: shows pictures on the screen.
#pragma once

#include <opencv2/core/mat.hpp>

#include <string>

namespace triptych::apps {

// Whether a window can be opened.
bool has_display();

class Window {
 public:
  explicit Window(std::string title) : title_(std::move(title)) {}
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // False when the user closed it or pressed q or Escape.
  bool show(const cv::Mat& bgr);

 private:
  std::string title_;
  bool shown_ = false;
};

}  // namespace triptych::apps
