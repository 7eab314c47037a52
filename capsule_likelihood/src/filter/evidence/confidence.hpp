// The evidence for an estimate, and the confidence that follows from it. On the host, from values that all
// devices give with the same bits.
#pragma once

#include <triptych/capsule_likelihood/estimate.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "filter/evidence/cloud_sample.hpp"

namespace triptych::capsule_likelihood {

// The sample of a cloud.
struct EvidenceSample {
  std::array<Vec3, evidence_points> points;
  std::int32_t size = 0;

  static EvidenceSample of(std::span<const Vec3> cloud) {
    EvidenceSample sample;
    const auto count = static_cast<std::int64_t>(cloud.size());
    sample.size = sample_size(count, evidence_points);
    for (std::int32_t i = 0; i < sample.size; ++i)
      sample.points[static_cast<std::size_t>(i)] =
          cloud[static_cast<std::size_t>(sample_index(i, count, sample.size))];
    return sample;
  }
  std::span<const Vec3> view() const { return std::span(points).first(static_cast<std::size_t>(size)); }
};

// The size of a body against a person of 1.75 m: of the longest side of its bounding box at rest.
double body_scale(const Skeleton& skeleton);

// What the evidence is made of: counts, which are summed over the cameras.
struct EvidenceCounts {
  std::int64_t points = 0, on_body = 0, near_body = 0;  // of the sample
  std::int64_t places = 0, seen = 0;  // on the body's side towards the camera; none without points

  Evidence evidence() const;
};
// The body and the sample are in the camera's frame.
EvidenceCounts count_evidence(std::span<const Capsule> body, double scale, std::span<const Vec3> sample,
                              const SensorModel& sensor);

// Their points near the body alone.
std::int64_t count_near_body(std::span<const Capsule> body, double scale, std::span<const Vec3> sample,
                             const SensorModel& sensor);

// A rectangle of the image plane at distance 1 from the camera.
struct ImageBounds {
  static constexpr float endless = std::numeric_limits<float>::infinity();
  float low_u = -endless, high_u = endless, low_v = -endless, high_v = endless;

  // Of the points that a ray can reach. Nothing is known of what lies outside: the image may end there.
  static ImageBounds of(std::span<const Vec3> points, const SensorModel& sensor);
};

// The places alone; of a part of a body, too. Those outside the image count as seen.
EvidenceCounts count_seen(std::span<const Capsule> body, double scale, std::span<const Vec3> sample,
                          const SensorModel& sensor, const ImageBounds& image = {});

// Fills in the evidence and the confidence of an estimate whose other values are known.
void add_confidence(Estimate& estimate, const Skeleton& skeleton, double scale, std::span<const Vec3> sample,
                    const SensorModel& sensor);

// The logistic function of the evidence. Finite for any evidence, also for one that is not.
double confidence_of(const Evidence& evidence);

}  // namespace triptych::capsule_likelihood
