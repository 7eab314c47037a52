// Faces with landmarks for the commands: from folders, through OpenCV, or synthetic ones.
#pragma once

#include <triptych/aam_fit/landmark_file.hpp>

#include <common/progress.hpp>
#include <opencv2/core/mat.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "options.hpp"

namespace triptych::aam_demo {

// Any image as grey. Error with its name when it cannot be read.
aam_fit::GreyImage read_grey(const std::filesystem::path& file);
// Without a copy.
cv::Mat mat_of(const aam_fit::GreyImage& image);

// The examples of --images and --landmarks.
std::vector<aam_fit::Example> load_faces(const Options& options);

// Faces first .. first + count - 1 of a seed.
std::vector<aam_fit::Example> synthetic_faces(std::uint64_t seed, int first, int count, int size);

// A bar for what the library counts, a new one for each stage.
class StageProgress {
 public:
  aam_fit::Progress callback();
  void finish() { bar_.reset(); }

 private:
  std::string stage_;
  std::unique_ptr<apps::Progress> bar_;
};

}  // namespace triptych::aam_demo
