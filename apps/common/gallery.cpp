#include <common/gallery.hpp>
#include <common/picture_file.hpp>

namespace triptych::apps {

Gallery::Gallery(Outputs& outputs, const std::filesystem::path& folder, const std::string& name,
                 cv::Size size, double frames_per_second, const std::string& window_title)
    : outputs_(outputs),
      first_(outputs.add(folder / "first.png")),
      last_(outputs.add(folder / "last.png")),
      video_(outputs, folder / name, size, frames_per_second) {
  if (!window_title.empty() && has_display()) window_.emplace(window_title);
}

bool Gallery::show(const cv::Mat& picture) {
  if (picture_.empty()) write_picture(outputs_, first_, picture);
  picture_ = picture;
  video_.write(picture);
  return !window_ || window_->show(picture);
}

void Gallery::finish() {
  video_.close();
  write_picture(outputs_, last_, picture_);
}

}  // namespace triptych::apps
