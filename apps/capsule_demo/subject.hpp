// Who is followed, and from which pose on.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <string>
#include <vector>

#include "input.hpp"
#include "options.hpp"

namespace triptych::capsule_demo {

struct Subject {
  capsule_likelihood::Skeleton skeleton;
  std::string origin;        // a phrase: "the built-in person, 1.80 m tall"
  std::vector<float> start;  // empty: to be searched for
  bool true_radii = true;    // else they are to be fitted to the first cloud in the first pose
};

// From the options, what the input knows, and the first cloud. Error when files do not fit together.
Subject make_subject(const Options& options, const Input& input, const CloudFrame& first);

}  // namespace triptych::capsule_demo
