// Estimate: the pose that a ParticleFilter found in a cloud, and how far it can be trusted.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/rays.hpp>

#include <array>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

enum class FilterStatus {
  tracking,
  lost,       // the body explains too little of the cloud: score < FilterOptions::min_score, or no point was
              // usable
  uncertain,  // confidence < FilterOptions::min_confidence
};
std::string to_string(FilterStatus status);

// How the body in its estimated pose agrees with 512 points of the cloud (all, when there are fewer). Lengths
// are for a body of 1.75 m: those of other bodies are in proportion to their size.
struct Evidence {
  // Shares of the points within 3 cm of the body's surface: of all points, and of those within 30 cm.
  double on_body = 0, near_on_body = 0;
  // Share of the places on the body's side towards the camera (three on each capsule) that the cloud shows:
  // a point lies there or before it, not farther than 5 cm aside.
  double body_seen = 0;
  // Since find(): the probability that the body looks the way that find() has chosen. Turned round it may fit
  // about as well. 1 since start(), and for a skeleton without toes.
  double way = 1;
};

struct Estimate {
  FilterStatus status = FilterStatus::lost;
  // The probability, 0 to 1, that the mean error of the joints is below 0.1 m. A logistic function of the
  // three shares of the evidence, times `way`, calibrated on people (docs/method.md): of hands and robots it
  // says which frame is better.
  double confidence = 0;
  Evidence evidence;
  // The share of the data that the best sample of the last layer explains: 1 - loss / max_loss, 0 .. 1. loss
  // is the sum of the truncated losses of all points, max_loss the same if every point were truncated. Points
  // of the background count as not explained: where they are most of the cloud, lower min_score. A pose that
  // is wrong in part still explains part of the points.
  double score = 0;
  double latency_us = 0;  // from submit() or step() to the result

  std::vector<float> pose;   // weighted mean; rotations are averaged as rotations
  std::vector<Vec3> joints;  // positions in that pose
  // Covariance of each joint's position over the samples, before the fit: xx xy xz yy yz zz, m^2.
  std::vector<std::array<float, 6>> covariances;
  double effective_samples = 0;
  double log_likelihood = 0;  // of the best sample of the last layer
  PointCount points;

  bool found() const { return status == FilterStatus::tracking; }
};

// A sentence for people: what is wrong and what to do. Empty when the estimate is found.
std::string reason(const Estimate& estimate);

}  // namespace triptych::capsule_likelihood
