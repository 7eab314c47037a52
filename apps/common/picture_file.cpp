#include <triptych/core/error.hpp>

#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <opencv2/imgcodecs.hpp>

#include <string>
#include <vector>

namespace triptych::apps {

// Encoded in memory: OpenCV does not see a disk that is full.
void write_picture(Outputs& outputs, const std::filesystem::path& temporary, const cv::Mat& picture) {
  std::vector<unsigned char> bytes;
  {
    const QuietStderr quiet;
    if (!cv::imencode(temporary.extension().string(), picture, bytes))
      throw Error("this OpenCV cannot write pictures as " + temporary.extension().string());
  }
  outputs.write(temporary, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace triptych::apps
