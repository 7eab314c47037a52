#include <triptych/core/error.hpp>

#include <common/program.hpp>
#include <common/video_sink.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace triptych::apps {

namespace fs = std::filesystem;

namespace {

// A segment is not on the disk before it ends: it is short in time and, for a disk that fills up, in frames.
// OpenCV's encoder starts a group of pictures every 12 frames anyway.
constexpr double seconds_per_segment = 0.8;
constexpr int frames_per_segment = 24;

bool open_quietly(cv::VideoWriter& writer, const fs::path& file, const char (&codec)[5],
                  double frames_per_second, cv::Size size) {
  const QuietStderr quiet;
  try {
    writer.open(file.string(), cv::VideoWriter::fourcc(codec[0], codec[1], codec[2], codec[3]),
                frames_per_second, size);
  } catch (const cv::Exception&) {
    writer.release();
  }
  return writer.isOpened();
}

std::string read_all(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return {};
  std::string all(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < all.size()) {
    const ssize_t count = pread(descriptor, all.data() + done, all.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  all.resize(done);
  return all;
}

}  // namespace

VideoSink::VideoSink(Outputs& outputs, const fs::path& stem, cv::Size size, double frames_per_second)
    : outputs_(outputs), size_(size), frames_per_second_(std::clamp(frames_per_second, 0.1, 1000.0)) {
  require(size.width > 0 && size.height > 0 && size.width % 2 == 0 && size.height % 2 == 0,
          "a video needs even sizes, not ", size.width, " x ", size.height);
  file_ = stem;
  file_ += ".mp4";
  temporary_ = outputs.add(file_);
  open_segment();
  if (writer_.isOpened()) {
    mp4_.emplace(temporary_, file_, size.width, size.height, frames_per_second_);
    return;
  }
  outputs.drop(temporary_);
  file_ = stem;
  file_ += ".avi";
  temporary_ = outputs.add(file_);
  if (!open_quietly(writer_, temporary_, "MJPG", frames_per_second_, size)) {
    throw Error("cannot write the video " + stem.string() +
                ".mp4: this OpenCV writes neither MPEG-4 nor motion JPEG; install one with FFmpeg");
  }
  outputs.keep(temporary_);
}

VideoSink::~VideoSink() {
  try {
    if (writer_.isOpened()) close();
  } catch (const std::exception&) {  // the video ends where it could be written to
  }
  if (segment_ >= 0) ::close(segment_);
}

void VideoSink::open_segment() {
  fs::path name = temporary_;
  name.replace_extension(".segment.mp4");
  segment_ = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (segment_ < 0) fail_to_write(file_, std::generic_category().message(errno));
  open_quietly(writer_, name, "mp4v", frames_per_second_, size_);
  std::error_code ignored;
  fs::remove(name, ignored);  // the descriptor keeps its contents
  since_opened_.restart();
  frames_since_opened_ = 0;
}

void VideoSink::close_segment() {
  {
    const QuietStderr quiet;
    writer_.release();
  }
  const std::string bytes = read_all(segment_);
  ::close(segment_);
  segment_ = -1;
  Mp4Segment segment;
  try {
    segment = parse_mp4(bytes);
  } catch (const Error&) {
    fail_to_write(file_, "the disk may be full");
  }
  mp4_->append(segment);
  outputs_.keep(temporary_);
}

void VideoSink::write(const cv::Mat& bgr) {
  if (mp4_ && !writer_.isOpened()) open_segment();
  {
    const QuietStderr quiet;
    writer_.write(bgr);
  }
  ++frames_since_opened_;
  if (mp4_ &&
      (since_opened_.elapsed_s() >= seconds_per_segment || frames_since_opened_ >= frames_per_segment))
    close_segment();
}

void VideoSink::close() {
  if (mp4_) {
    if (writer_.isOpened()) close_segment();
    mp4_->finish();
    return;
  }
  const QuietStderr quiet;
  writer_.release();
}

}  // namespace triptych::apps
