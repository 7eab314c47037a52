// Leaves the floor, the walls and other things out of clouds, so that a person remains.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <optional>
#include <string>
#include <vector>

#include "options.hpp"

namespace triptych::capsule_demo {

class Background {
 public:
  explicit Background(const Options& options)
      : keep_(options.keep_background), person_(options.person), any_depth_(options.person.has_value()) {}

  // The points of the person. All points when nothing else is there, or when too few would remain. From the
  // second cloud on the person is the thing nearest to where it was.
  std::vector<capsule_likelihood::Vec3> without(std::vector<capsule_likelihood::Vec3> points);
  // What was left out of the first cloud, in a sentence; empty when nothing was.
  const std::string& note() const { return note_; }

 private:
  bool keep_;
  std::optional<capsule_likelihood::Vec3> person_;  // where it was, or is said to be
  bool any_depth_, begun_ = false;
  std::string note_;
};

}  // namespace triptych::capsule_demo
