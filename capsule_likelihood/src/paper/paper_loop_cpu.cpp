#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>

#include "paper/paper_loop_math.hpp"

namespace triptych::capsule_likelihood {

void evaluate_paper_loop_cpu(std::span<const Vec3> points, MatrixView<const Capsule> bodies,
                             const Vec3& camera, float max_distance, std::span<float> distances) {
  require(static_cast<std::size_t>(bodies.rows()) == distances.size(), "there are ", bodies.rows(),
          " bodies but ", distances.size(), " results");
  for (std::int64_t j = 0; j < bodies.rows(); ++j) {
    float sum = 0;
    for (const Vec3& x : points) {
      float value = max_distance;
      for (std::int64_t k = 0; k < bodies.cols(); ++k) {
        const Capsule& c = bodies(j, k);
        value = std::min(paper::measurement(x, camera, c.radius_m, c.a, c.b, max_distance), value);
      }
      sum += value;
    }
    distances[static_cast<std::size_t>(j)] = sum;
  }
}

}  // namespace triptych::capsule_likelihood
