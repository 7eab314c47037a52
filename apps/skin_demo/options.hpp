// The command line of skin_demo.
#pragma once

#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace triptych::skin_demo {

enum class RunOn { best, cpu, cuda, joint };

struct Options {
  std::string input = "synthetic";
  int frames = 0;  // 0: all there are
  int width = 1280, height = 720;
  double noise = 2;
  bool distractor = false;

  std::optional<Box> calibrate;
  std::optional<skin_tracker::LinearFilter> filter;
  std::string classifier;
  std::filesystem::path model;

  RunOn device = RunOn::best;
  std::string variant;  // a name of variants.hpp; empty: the tracker
  bool gate = false, smooth = false;
  std::optional<Box> start;       // of the head in the first frame; turns the gate on
  std::filesystem::path cascade;  // of OpenCV's face detector; empty: the installed one
  // Nothing says what skin looks like or where the head is: the face is detected in the first frame.
  bool detects() const {
    return !is_synthetic() && !calibrate && !filter && model.empty() && !start && variant.empty();
  }
  double min_confidence = skin_tracker::TrackerOptions{}.min_confidence;
  double reference_distance_m = 0.6;  // of the head in the calibrated frame

  bool hcp = false, headless = false, no_pictures = false;
  std::filesystem::path out = "out/skin";
  std::filesystem::path csv, json;  // empty: not wanted

  bool evaluate = false;
  std::filesystem::path pixels;
  std::uint64_t seed = 1;

  bool is_synthetic() const { return input == "synthetic"; }
};

// Nothing when help or the version was asked for, which is then on stdout. UsageError for what makes no
// sense.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace triptych::skin_demo
