// Where clouds of points come from, frame by frame, and what else the input knows: the body, its first pose,
// and where its joints really are.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options.hpp"

namespace triptych::capsule_demo {

struct CloudFrame {
  std::vector<capsule_likelihood::Vec3> points;  // x right, y up, z away from the camera; none: unreadable
  std::vector<float> sigma_m;                    // one per point, or none
  std::vector<capsule_likelihood::Vec3>
      truth;  // positions of Input::reference(), NaN where not known; or none
};

// A body that the input comes with.
struct KnownBody {
  capsule_likelihood::Skeleton skeleton;
  std::vector<float> start;  // the pose of the first frame
  std::string origin;        // a phrase
  bool true_radii = true;    // else only the lengths are known
};

// The positions that estimates are compared with: their names, and how bones connect them.
struct Reference {
  std::vector<std::string> names;
  std::vector<int> parents;  // -1: none
  bool exact = true;         // else an estimate of others
};

class Input {
 public:
  virtual ~Input() = default;

  // False at the end.
  virtual bool next(CloudFrame& frame) = 0;
  // Frames in all; 0 when that is not known.
  virtual int count() const = 0;
  virtual double frames_per_second() const = 0;
  // For people: what this is.
  virtual std::string describe() const = 0;
  // After the first frame: what was guessed and left out, in sentences.
  virtual std::vector<std::string> notes() const { return {}; }
  virtual const KnownBody* body() const { return nullptr; }
  virtual const Reference* reference() const { return nullptr; }
  // After the end: what was not as it should be, in a sentence; empty when all was well.
  virtual std::string complaint() const { return {}; }
};

// Error when there is nothing to read.
std::unique_ptr<Input> open_input(const Options& options);

std::unique_ptr<Input> open_motion(const Options& options);
std::unique_ptr<Input> open_depth(const Options& options);
std::unique_ptr<Input> open_stereo(const Options& options);
std::unique_ptr<Input> open_clouds(const Options& options);

}  // namespace triptych::capsule_demo
