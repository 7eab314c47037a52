// Faces with landmarks for the commands: from folders, through OpenCV, or synthetic ones.
#pragma once

#include <triptych/aam_fit/landmark_file.hpp>

#include <common/progress.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"

namespace triptych::aam_demo {

// Any image as grey. Error with its name when it cannot be read.
Image<Grey8> read_grey(const std::filesystem::path& file);

// The images of --images with their files of --landmarks.
std::vector<aam_fit::Pair> face_files(const Options& options);
// Reads them, with a bar on stderr.
std::vector<aam_fit::Example> load_faces(const std::vector<aam_fit::Pair>& pairs);

// Faces first .. first + count - 1 of a seed.
std::vector<aam_fit::Example> synthetic_faces(std::uint64_t seed, int first, int count, int size);

// What the library reports while it reads faces (a bar) and trains (the stage's name and number), on stderr.
class StageProgress {
 public:
  StageProgress();
  ~StageProgress() { finish(); }
  StageProgress(const StageProgress&) = delete;
  StageProgress& operator=(const StageProgress&) = delete;
  aam_fit::Progress callback();
  // Clears the line on a terminal.
  void finish();

 private:
  void show(const std::string& stage, std::int64_t done, std::int64_t total);
  std::optional<apps::Progress> bar_;
  Stopwatch since_shown_;
  bool terminal_, drawn_ = false;
};

}  // namespace triptych::aam_demo
