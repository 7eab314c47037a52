// Follows a person through point clouds, as a stereo or depth camera gives them, and compares with the truth.
// follow_person               a synthetic walk
// follow_person motion.bvh    the motion of a file, rotated to face the camera
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
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

int main(int argc, char** argv) {
  // The model is a tree of joints with capsules. The motion has one pose per frame, 3 m from the camera.
  const Bvh file = argc > 1 ? read_bvh(argv[1]) : Bvh{};
  const Skeleton skeleton = argc > 1 ? make_skeleton(file) : make_human(1.75f);
  Motion motion = argc > 1 ? poses_of(file, skeleton, guess_scale(file).metres_per_unit)
                           : make_walk(skeleton, {.frames = 8});
  place_in_view(skeleton, motion, {.yaw_rad = argc > 1 ? 3.14159f : 0.0f});

  ParticleFilter filter(skeleton);  // on a GPU when there is one, else on the CPU
  filter.start(motion.pose(0));     // or filter.find(points), when no pose is known
  for (std::int64_t i = 0; i < motion.size(); ++i) {
    // What a camera at the origin sees that looks along +z, with 1 cm of noise.
    const std::vector<Vec3> points = render_points(skeleton.capsules(motion.pose(i)), {.points = 4000});
    const Estimate estimate = filter.step(points);
    const double error_mm = mean_distance_mm(estimate.joints, skeleton.joints(motion.pose(i)));
    std::printf("%s, score %.2f, off by %.1f mm\n", to_string(estimate.status).c_str(), estimate.score,
                error_mm);
  }
}
