#include <triptych/core/error.hpp>

#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <opencv2/imgcodecs.hpp>

namespace triptych::apps {

void write_picture(const std::filesystem::path& file, const cv::Mat& picture) {
  const QuietStderr quiet;
  if (!cv::imwrite(file.string(), picture))
    throw Error("cannot write " + file.string() + ": the disk may be full");
}

}  // namespace triptych::apps
