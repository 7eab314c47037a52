#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>

#include <common/program.hpp>
#include <opencv2/imgcodecs.hpp>

#include <cstring>

#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

GreyImage read_grey(const std::filesystem::path& file) {
  cv::Mat grey;
  try {
    const apps::QuietStderr quiet;
    grey = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
  } catch (const cv::Exception&) {
    grey.release();
  }
  if (grey.empty())
    throw Error("cannot read " + file.string() + " as an image: it is damaged or of an unknown kind");
  GreyImage image{grey.cols, grey.rows, {}};
  image.values.resize(static_cast<std::size_t>(grey.cols) * static_cast<std::size_t>(grey.rows));
  grey.copyTo(mat_of(image));
  return image;
}

cv::Mat mat_of(const GreyImage& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.values.data())};
}

std::vector<Example> load_faces(const Options& options) {
  const std::vector<Pair> pairs =
      find_pairs(options.images, options.landmarks,
                 {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"});
  StageProgress progress;
  return load_examples(pairs, read_grey, progress.callback());
}

std::vector<Example> synthetic_faces(std::uint64_t seed, int first, int count, int size) {
  std::vector<Example> faces;
  faces.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    FaceParameters face = random_face(seed, first + i);
    const double scale = size / 256.0;
    face.x_px *= scale;
    face.y_px *= scale;
    face.size_px *= scale;
    faces.push_back(render_face(face, size, size));
    faces.back().name = "face " + std::to_string(first + i);
  }
  return faces;
}

Progress StageProgress::callback() {
  return [this](const std::string& stage, std::int64_t done, std::int64_t total) {
    if (stage != stage_) {
      bar_ = std::make_unique<apps::Progress>(std::string(program_name) + ": " + stage,
                                              static_cast<int>(total), "steps");
      stage_ = stage;
    }
    bar_->update(static_cast<int>(done));
    if (apps::interrupted()) throw Error("interrupted while " + stage);
  };
}

}  // namespace triptych::aam_demo
