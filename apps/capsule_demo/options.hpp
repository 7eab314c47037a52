// The command line of capsule_demo.
#pragma once

#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/scene.hpp>
#include <triptych/core/device.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace triptych::capsule_demo {

inline constexpr const char* program_name = "capsule_demo";

enum class InputKind { motion, depth, stereo, cloud };
enum class RunOn { best, cpu, cuda };

struct Options {
  InputKind input = InputKind::motion;

  std::string motion = "synthetic";  // or a BVH file
  double noise_m = 0.01, outliers = 0.1;
  bool background = false;
  int every = 0;   // 0: about 30 frames per second remain
  int first = -1;  // -1: the first, or the second when the first is an added pose
  double turn_deg = 180;

  std::filesystem::path depth;
  std::optional<capsule_likelihood::Intrinsics> intrinsics;
  std::filesystem::path truth;
  std::string left, right;  // images, folders of images or videos
  std::filesystem::path calibration;
  std::vector<std::filesystem::path> clouds;

  double metres_per_unit = 0;                         // 0: guessed for clouds, millimetres for depth images
  std::optional<capsule_likelihood::CloudAxes> axes;  // none: guessed
  bool keep_background = false;
  std::optional<capsule_likelihood::Vec3> person;  // its x and y, to choose among things
  double nearest_m = 0, farthest_m = 0;            // 0: no limit
  double rate_hz = 30;
  int points = 0;  // 0: by the device, see with_defaults
  int frames = 0;  // 0: all there are

  std::filesystem::path skeleton;
  double height_m = 0;  // 0: from the cloud
  std::string start;    // empty: the input's when it has one, else found

  RunOn device = RunOn::best;
  std::vector<int> gpus;        // for cuda
  int samples = 0, layers = 5;  // samples 0: by the device
  std::uint64_t seed = 1;
  std::optional<double> sigma_m, tau_m, min_confidence;
  int search_after_frames = 30;
  std::optional<capsule_likelihood::Surface> surface;

  std::filesystem::path out = "out/capsule";
  std::filesystem::path csv, json;  // empty: in out
  bool no_pictures = false, headless = false;

  bool is_synthetic() const { return input == InputKind::motion && motion == "synthetic"; }
  // The input in a few words.
  std::string input_name() const;
};

// Nothing after --help or --version, whose text is then on stdout. UsageError for an invalid command line.
std::optional<Options> parse_options(int argc, const char* const* argv);

// Fills in the samples and points that were not given: a GPU gets more than a CPU.
Options with_defaults(Options options, const Device& device);

}  // namespace triptych::capsule_demo
