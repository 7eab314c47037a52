// The command line.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/train.hpp>

#include <common/shard_file.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "follower.hpp"

namespace triptych::aam_demo {

inline constexpr const char* program_name = "aam_demo";

enum class Command { show, train, fit, evaluate, info, modes, synth, boxes };

struct Options {
  Command command = Command::show;
  std::filesystem::path images, landmarks;  // folders; landmarks may be empty
  std::filesystem::path model;
  bool shipped_model = false;  // none was named
  std::filesystem::path out;   // a file for train, a folder for the others; evaluate: empty, or for shards
  std::filesystem::path json, csv;
  apps::Shard shard;              // of evaluate
  std::string input;              // of fit
  std::filesystem::path cascade;  // of OpenCV's face detector; empty: the installed one
  std::optional<Box> init;        // where the face is in the first frame
  bool track = false;             // of a folder: frames of one video
  bool no_pictures = false, headless = false;
  int frames = 0;  // at most; 0: all
  PoseOptions pose;

  aam_fit::TrainOptions training;
  aam_fit::FitterOptions fitting;
  std::string device = "auto";  // auto, cpu, cuda
  int threads = 0;
  std::uint64_t seed = 1;
  int count = 100;  // of synth
  int size = 256;   // of synth
  int modes = 6;    // of modes
};

// Nothing when all is said already (--help). UsageError when it makes no sense.
std::optional<Options> parse_options(int argc, const char* const* argv);

// Where fits run. Unavailable for --device cuda without a GPU.
Device chosen_device(const Options& options);

}  // namespace triptych::aam_demo
