// The sequential CPU loop of the paper (listing 1.2) as it stands there: plain floats, three quadratic
// equations for each pair, a float sum. What the paper's speed-ups are measured against, and ours.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/matrix_view.hpp>

#include <span>

namespace triptych::capsule_likelihood {

// distances[j]: the sum over the points of the truncated distance from body j. Floats lose digits here: near
// tangents hits and misses flip, and the sum of 50,000 points is off by about 1e-4 of itself. One thread.
// InvalidArgument when the sizes do not fit.
void evaluate_listing_cpu(std::span<const Vec3> points, MatrixView<const Capsule> bodies, const Vec3& camera,
                          float max_distance, std::span<float> distances);

}  // namespace triptych::capsule_likelihood
