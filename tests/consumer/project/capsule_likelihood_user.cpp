// Uses Triptych::capsule_likelihood: a standing person is followed through a cloud of points.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <cstdio>

using namespace triptych::capsule_likelihood;

int main() {
  const Skeleton skeleton = make_human(1.75F);
  Motion motion = make_walk(skeleton, {.frames = 2});
  place_in_view(skeleton, motion, {});
  ParticleFilter filter(skeleton, {.samples = 500, .layers = 2});
  filter.start(motion.pose(0));
  const auto points = render_points(skeleton.capsules(motion.pose(0)), {.points = 1000});
  const Estimate estimate = filter.step(points);
  std::printf("%s: %s, score %.2f\n", filter.describe().c_str(), to_string(estimate.status).c_str(),
              estimate.score);
  return estimate.found() ? 0 : 1;
}
