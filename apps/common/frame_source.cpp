#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <common/frame_source.hpp>
#include <common/natural_order.hpp>
#include <common/program.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <vector>

namespace triptych::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view camera_prefix = "camera:";

cv::Mat read_image(const fs::path& file) {
  const QuietStderr quiet;
  try {
    return cv::imread(file.string(), cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {
    return {};
  }
}

class Images : public FrameSource {
 public:
  explicit Images(std::vector<fs::path> files) : files_(std::move(files)) {}

  bool next(cv::Mat& frame) override {
    if (at_ == files_.size()) return false;
    frame = read_image(files_[at_]);
    if (frame.empty()) {
      if (broken_++ == 0) first_broken_ = files_[at_];
    }
    ++at_;
    return true;
  }
  int count() const override { return static_cast<int>(files_.size()); }
  std::string complaint() const override {
    if (broken_ == 0) return {};
    return std::to_string(broken_) + " of " + std::to_string(at_) +
           " images could not be read and were left out, the first of them " + first_broken_.string();
  }

 private:
  std::vector<fs::path> files_;
  std::size_t at_ = 0;
  int broken_ = 0;
  fs::path first_broken_;
};

class Video : public FrameSource {
 public:
  Video(const cv::VideoCapture& capture, std::string name, bool live)
      : capture_(capture), name_(std::move(name)), live_(live) {
    const double count = live_ ? 0 : capture_.get(cv::CAP_PROP_FRAME_COUNT);
    if (std::isfinite(count) && count >= 1 && count < 1e9) count_ = static_cast<int>(std::lround(count));
    const double rate = capture_.get(cv::CAP_PROP_FPS);
    if (std::isfinite(rate) && rate >= 1 && rate <= 1000) rate_ = rate;
  }

  bool next(cv::Mat& frame) override {
    const QuietStderr quiet;
    ended_ = !capture_.read(frame) || frame.empty();
    if (!ended_) ++read_;
    return !ended_;
  }
  int count() const override { return count_; }
  double frames_per_second() const override { return rate_; }
  bool is_live() const override { return live_; }
  std::string complaint() const override {
    if (live_) return ended_ ? name_ + " stopped giving frames" : std::string();
    constexpr int slack = 1;  // some containers count one frame more than there is
    if (!ended_ || count_ - read_ <= slack) return {};
    return name_ + " ends early or is damaged: " + std::to_string(read_) + " of its " +
           std::to_string(count_) + " frames could be read and were used";
  }

 private:
  cv::VideoCapture capture_;
  std::string name_;
  bool live_;
  bool ended_ = false;
  int count_ = 0, read_ = 0;
  double rate_ = 30;
};

std::unique_ptr<FrameSource> open_camera(const std::string& input) {
  const std::string_view digits = std::string_view(input).substr(camera_prefix.size());
  int number = -1;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size() || number < 0) {
    throw UsageError("'" + input + "' names no camera: write camera:0 for the first one");
  }
  cv::VideoCapture capture;
  {
    const QuietStderr quiet;
    capture.open(number);
  }
  if (!capture.isOpened()) {
    throw Error("cannot open camera " + std::to_string(number) +
                ": it is not there, in use or not permitted; try another number, or --input with a file");
  }
  return std::make_unique<Video>(capture, "camera " + std::to_string(number), true);
}

bool is_image(const fs::path& file) {
  const QuietStderr quiet;
  try {
    return cv::haveImageReader(file.string());
  } catch (const cv::Exception&) {
    return false;
  }
}

std::unique_ptr<FrameSource> open_video(const fs::path& file) {
  cv::VideoCapture capture;
  {
    const QuietStderr quiet;
    try {
      capture.open(file.string(), cv::CAP_FFMPEG);
      if (!capture.isOpened()) capture.open(file.string());
    } catch (const cv::Exception&) {
      capture.release();
    }
  }
  if (!capture.isOpened()) {
    throw Error("cannot read " + file.string() +
                " as an image or a video: it is damaged or of an unknown kind");
  }
  return std::make_unique<Video>(capture, file.string(), false);
}

// Error with the message of the system when the file cannot be read.
void check_readable(const fs::path& file) {
  std::error_code problem;
  const fs::file_status status = fs::status(file, problem);
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // a device or a pipe: opening it will show
  const auto size = fs::file_size(file, problem);
  if (problem) throw Error("cannot read " + file.string() + ": " + problem.message());
  if (size == 0) throw Error("cannot read " + file.string() + ": the file is empty");
}

}  // namespace

std::vector<fs::path> images_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    std::string kind = entry->path().extension().string();
    std::transform(kind.begin(), kind.end(), kind.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view kinds[] = {".jpg",  ".jpeg", ".png", ".bmp", ".tif",
                                          ".tiff", ".webp", ".ppm", ".pgm"};
    if (std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds))
      files.push_back(entry->path());
  }
  if (problem) throw Error("cannot read the folder " + folder.string() + ": " + problem.message());
  if (files.empty()) {
    throw Error("there is no image in " + folder.string() + ": expected files such as 0001.jpg or 0001.png");
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  return files;
}

std::unique_ptr<FrameSource> open_frames(const std::string& input) {
  if (input.starts_with(camera_prefix)) return open_camera(input);
  const fs::path path = input;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::make_unique<Images>(images_in(path));
  check_readable(path);
  if (is_image(path)) return std::make_unique<Images>(std::vector{path});
  return open_video(path);
}

}  // namespace triptych::apps
