#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/skeleton_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/json.hpp>

#include <common/text.hpp>

#include <algorithm>
#include <optional>

#include "start_pose.hpp"
#include "subject.hpp"

namespace triptych::capsule_demo {

using namespace capsule_likelihood;
namespace fs = std::filesystem;

namespace {

bool is_bvh(const fs::path& file) {
  std::string kind = file.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return kind == ".bvh";
}

// A JSON file with a list of joints is a whole skeleton; others change one.
bool is_complete_skeleton(const fs::path& file) {
  const Json json = read_json(file);
  return json.is_object() && json.contains("joints") && json["joints"].is_array();
}

Subject from_bvh(const fs::path& file) {
  return {make_skeleton(read_bvh(file)), "the body of " + file.filename().string(), {}};
}

Subject person(const Options& options, const CloudFrame& first) {
  const double height =
      options.height_m > 0 ? options.height_m : double{find_standing_person(first.points).height_m};
  return {make_human(static_cast<float>(height)),
          apps::text("the built-in person, %.2f m tall", height),
          {},
          false};
}

bool same_joints(const Skeleton& a, const Skeleton& b) {
  return a.pose_size() == b.pose_size() &&
         std::equal(a.joints().begin(), a.joints().end(), b.joints().begin(), b.joints().end(),
                    [](const Joint& x, const Joint& y) { return x.name == y.name; });
}

}  // namespace

Subject make_subject(const Options& options, const Input& input, const CloudFrame& first) {
  const KnownBody* known = input.body();
  const bool starts_from_file = !options.start.empty() && options.start != "find";
  const auto base = [&]() -> Subject {
    if (known != nullptr) return {known->skeleton, known->origin, {}, known->true_radii};
    if (starts_from_file && is_bvh(options.start)) return from_bvh(options.start);
    return person(options, first);
  };
  const auto subject_of = [&]() -> Subject {
    if (options.skeleton.empty()) return base();
    const std::string name = options.skeleton.filename().string();
    if (is_bvh(options.skeleton)) return from_bvh(options.skeleton);
    if (is_complete_skeleton(options.skeleton))
      return {read_skeleton(options.skeleton), "the skeleton of " + name, {}};
    Subject adjusted = base();
    adjusted.skeleton = adjust_skeleton(adjusted.skeleton, options.skeleton);
    adjusted.origin += ", adjusted by " + name;
    adjusted.true_radii = true;
    return adjusted;
  };
  Subject subject = subject_of();
  if (starts_from_file) {
    subject.start = is_bvh(options.start) ? start_from_bvh(options.start, subject.skeleton)
                                          : start_from_json(options.start, subject.skeleton);
  } else if (options.start.empty() && known != nullptr && same_joints(known->skeleton, subject.skeleton)) {
    subject.start = known->start;
  }
  return subject;
}

}  // namespace triptych::capsule_demo
