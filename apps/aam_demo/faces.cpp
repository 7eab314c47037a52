#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <common/program.hpp>
#include <opencv2/imgcodecs.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

namespace {

constexpr const char* reading_stage = "reading faces";  // as load_examples() names it

}  // namespace

Image<Grey8> read_grey(const std::filesystem::path& file) {
  cv::Mat grey;
  try {
    const apps::QuietStderr quiet;
    grey = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
  } catch (const cv::Exception&) {
    grey.release();
  }
  if (grey.empty())
    throw Error("cannot read " + file.string() + " as an image: it is damaged or of an unknown kind");
  return to_image<Grey8>(grey);
}

std::vector<Pair> face_files(const Options& options) {
  return find_pairs(options.images, options.landmarks,
                    {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"});
}

std::vector<Example> load_faces(const std::vector<Pair>& pairs) {
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

StageProgress::StageProgress() : terminal_(isatty(STDERR_FILENO) != 0) {}

Progress StageProgress::callback() {
  return [this](const std::string& stage, std::int64_t done, std::int64_t total) {
    if (stage == reading_stage) {
      if (!bar_) bar_.emplace(std::string(program_name) + ": " + stage, static_cast<int>(total), "faces");
      bar_->update(static_cast<int>(done));
    } else {
      bar_.reset();
      show(stage, done, total);
    }
  };
}

// The stages of training take different times: they have names, and no rate.
void StageProgress::show(const std::string& stage, std::int64_t done, std::int64_t total) {
  constexpr double seconds_between_lines = 10;
  if (!terminal_ && since_shown_.elapsed_s() < seconds_between_lines) return;
  since_shown_.restart();
  std::fprintf(
      stderr,
      terminal_ ? "\r%s: training, stage %lld of %lld: %s\x1b[K" : "%s: training, stage %lld of %lld: %s\n",
      program_name, static_cast<long long>(std::min(done + 1, total)), static_cast<long long>(total),
      stage.c_str());
  std::fflush(stderr);
  drawn_ = terminal_;
}

void StageProgress::finish() {
  bar_.reset();
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace triptych::aam_demo
