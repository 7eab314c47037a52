// Clouds in files: PLY or text, one per frame.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/scene.hpp>
#include <triptych/core/error.hpp>

#include <common/natural_order.hpp>
#include <common/text.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "background.hpp"
#include "input.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;
namespace fs = std::filesystem;

namespace {

// Folders are replaced by the clouds in them.
std::vector<fs::path> listed(const std::vector<fs::path>& given) {
  std::vector<fs::path> files;
  for (const fs::path& path : given) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
      files.push_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (fs::directory_iterator entry(path, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      const fs::path kind = entry->path().extension();
      if (kind == ".ply" || kind == ".xyz" || kind == ".txt" || kind == ".csv" || kind == ".pts")
        inside.push_back(entry->path());
    }
    if (problem) throw Error("cannot read the folder " + path.string() + ": " + problem.message());
    if (inside.empty())
      throw Error("there is no cloud in " + path.string() + ": expected files such as 0001.ply or 0001.xyz");
    std::sort(inside.begin(), inside.end(), [](const fs::path& a, const fs::path& b) {
      return apps::natural_less(a.filename().string(), b.filename().string());
    });
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

class CloudInput : public Input {
 public:
  explicit CloudInput(const Options& options)
      : options_(options), files_(listed(options.clouds)), background_(options) {}

  bool next(CloudFrame& frame) override {
    frame.sigma_m.clear();
    if (at_ == count()) return false;
    const fs::path& file = files_[static_cast<std::size_t>(at_)];
    if (!convention_) guess(file);
    Cloud cloud = read_cloud(file, convention_ ? convention_->metres_per_unit : given_unit());
    if (convention_) {
      CloudConvention axes = *convention_;
      axes.metres_per_unit = 1;  // is read in metres
      cloud.points = to_camera_frame(cloud.points, axes);
    }
    const std::size_t all = cloud.points.size();
    const std::size_t behind = std::erase_if(cloud.points, [](const Vec3& p) { return p.z < 0; });
    const double farthest = options_.farthest_m > 0 ? options_.farthest_m : 1e30;
    std::erase_if(cloud.points, [&](const Vec3& p) { return p.z < options_.nearest_m || p.z > farthest; });
    too_far_ += cloud.too_far;
    frame.points = subsample(background_.without(std::move(cloud.points)), options_.points,
                             options_.seed + static_cast<std::uint64_t>(at_));
    if (frame.points.empty() && empty_++ == 0)
      first_empty_ = file.string() + why_empty(all, behind, cloud.too_far);
    ++at_;
    return true;
  }
  int count() const override {
    const int all = static_cast<int>(files_.size());
    return options_.frames > 0 ? std::min(all, options_.frames) : all;
  }
  double frames_per_second() const override { return options_.rate_hz; }
  std::string describe() const override {
    return std::to_string(files_.size()) + (files_.size() == 1 ? " cloud, " : " clouds from ") +
           files_.front().string();
  }
  std::string complaint() const override {
    if (empty_ == 0 && too_far_ == 0) return {};
    if (empty_ == 0) return std::to_string(too_far_) + " points more than " + far_away() + " were left out";
    return std::to_string(empty_) + " of " + std::to_string(at_) +
           " clouds had no usable point and were left out, the first of them " + first_empty_;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (!guessed_.empty()) notes.push_back(guessed_);
    if (!background_.note().empty()) notes.push_back(background_.note());
    return notes;
  }

 private:
  double given_unit() const { return options_.metres_per_unit > 0 ? options_.metres_per_unit : 1; }

  // The convention of all files by the first that has enough points. It is read as if in millimetres, so that
  // no point is too far.
  void guess(const fs::path& file) {
    constexpr double reading_unit = 0.001;
    Cloud cloud = read_cloud(file, reading_unit);
    for (Vec3& p : cloud.points) {
      for (float* const c : {&p.x, &p.y, &p.z})
        *c =
            static_cast<float>(double{*c} / reading_unit * (options_.metres_per_unit > 0 ? given_unit() : 1));
    }
    if (cloud.points.size() < 50) {
      if (options_.axes) convention_ = {.metres_per_unit = given_unit(), .axes = *options_.axes};
      return;
    }
    CloudConvention found = guess_convention(cloud.points);
    const bool axes_guessed = !options_.axes, unit_guessed = options_.metres_per_unit <= 0;
    if (!unit_guessed) found.metres_per_unit = given_unit();
    if (!axes_guessed) found.axes = *options_.axes;
    convention_ = found;
    if (unit_guessed)
      guessed_ = apps::text("guessed that a unit is %g m, by the size of the cloud (--unit says otherwise)",
                            found.metres_per_unit);
    if (axes_guessed)
      guessed_ += (unit_guessed ? ", and " : "guessed ") + ("that the axes are " + to_string(found.axes)) +
                  ", by " + found.axes_from + " (--axes says otherwise)";
  }

  static std::string far_away() { return apps::text("%g m from the camera", double{max_coordinate_m}); }
  // Why no point is left of so many, of which some were behind the camera. Others were too far away to be
  // read.
  std::string why_empty(std::size_t all, std::size_t behind, std::int64_t too_far) const {
    if (all == 0 && too_far > 0)
      return ": " + std::to_string(too_far) + " of its points lie more than " + far_away() +
             "; give --unit mm when its numbers are millimetres";
    if (all == 0) return ", which holds no finite point";
    if (behind == all)
      return ": all of its " + std::to_string(all) +
             " points lie behind the camera (z < 0); turn the cloud so that z points away from the camera";
    return apps::text(": none of its %zu points lies between %g and %g m before the camera; change --range",
                      all, options_.nearest_m, options_.farthest_m);
  }

  Options options_;
  std::vector<fs::path> files_;
  Background background_;
  std::optional<CloudConvention> convention_;  // none: in the given unit, in the camera's frame
  std::string guessed_;
  int at_ = 0, empty_ = 0;
  std::int64_t too_far_ = 0;
  std::string first_empty_;
};

}  // namespace

std::unique_ptr<Input> open_clouds(const Options& options) { return std::make_unique<CloudInput>(options); }

std::unique_ptr<Input> open_input(const Options& options) {
  switch (options.input) {
    case InputKind::depth:
      return open_depth(options);
    case InputKind::stereo:
      return open_stereo(options);
    case InputKind::cloud:
      return open_clouds(options);
    default:
      return open_motion(options);
  }
}

}  // namespace triptych::capsule_demo
