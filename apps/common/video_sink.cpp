#include <triptych/core/error.hpp>

#include <common/program.hpp>
#include <common/video_sink.hpp>

#include <string>

namespace triptych::apps {

namespace fs = std::filesystem;

VideoSink::VideoSink(Outputs& outputs, const fs::path& stem, cv::Size size, double frames_per_second) {
  require(size.width > 0 && size.height > 0 && size.width % 2 == 0 && size.height % 2 == 0,
          "a video needs even sizes, not ", size.width, " x ", size.height);
  struct Kind {
    const char* extension;
    int codec;
  };
  const Kind kinds[] = {{".mp4", cv::VideoWriter::fourcc('m', 'p', '4', 'v')},
                        {".avi", cv::VideoWriter::fourcc('M', 'J', 'P', 'G')}};
  for (const Kind& kind : kinds) {
    fs::path name = stem;
    name += kind.extension;
    const fs::path temporary = outputs.add(name);
    const QuietStderr quiet;
    try {
      writer_.open(temporary.string(), kind.codec, frames_per_second, size);
    } catch (const cv::Exception&) {
      writer_.release();
    }
    if (writer_.isOpened()) {
      file_ = name;
      return;
    }
    outputs.drop(temporary);
  }
  throw Error("cannot write the video " + stem.string() +
              ".mp4: this OpenCV writes neither MPEG-4 nor motion JPEG; install one with FFmpeg");
}

void VideoSink::write(const cv::Mat& bgr) {
  const QuietStderr quiet;
  writer_.write(bgr);
}

void VideoSink::close() {
  const QuietStderr quiet;
  writer_.release();
}

}  // namespace triptych::apps
