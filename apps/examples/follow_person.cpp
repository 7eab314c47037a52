// Follows a person through point clouds, as a stereo or depth camera gives them, and compares with the truth.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <cmath>
#include <cstdio>

using namespace triptych::capsule_likelihood;

double mean_distance_mm(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::hypot(a[i].x - b[i].x, a[i].y - b[i].y, a[i].z - b[i].z);
  return 1000 * sum / static_cast<double>(a.size());
}

int main() {
  // The model is a tree of joints with capsules. The motion has one pose per frame, 3 m from the camera.
  const Skeleton skeleton = make_human(1.75f);
  Motion motion = make_walk(skeleton, {.frames = 8});
  place_in_view(skeleton, motion);

  // What a camera at the origin sees that looks along +z, with 1 cm of noise.
  std::vector<std::vector<Vec3>> clouds;
  for (std::int64_t i = 0; i < motion.size(); ++i)
    clouds.push_back(render_points(skeleton.capsules(motion.pose(i)), {.points = 4000}));

  std::vector<Estimate> estimates;
  ParticleFilter filter(skeleton);  // on a GPU when there is one, else on the CPU
  filter.start(motion.pose(0));     // or filter.find(cloud), when no pose is known
  for (const std::vector<Vec3>& cloud : clouds) estimates.push_back(filter.step(cloud));

  for (std::int64_t i = 0; i < motion.size(); ++i) {
    const Estimate& estimate = estimates[static_cast<std::size_t>(i)];
    std::printf("%s, score %.2f, off by %.1f mm\n", to_string(estimate.status).c_str(), estimate.score,
                mean_distance_mm(estimate.joints, skeleton.joints(motion.pose(i))));
  }
}
