// The part of SurfaceFit::refine() that one block of its team does. Each block places the body and owns every
// so many-th chunk of the points; the first one solves the equations.
#pragma once

#include <triptych/reduction/collective/team.cuh>

#include "body/kinematics_lanes.cuh"
#include "filter/fit/filter_fit_math.hpp"
#include "filter/fit/surface_fit_task.hpp"

namespace triptych::capsule_likelihood {

inline constexpr int fit_threads = fit_chunk;  // of a block: a thread for each point of a chunk

// The shared memory of a block. Others read part, own, change and solved.
struct FitMemory {
  double *part, *bend, *cost;  // costs: of the own chunk, of the angles, of the whole
  double *costs, *own, *total, *change, *twists, *of_bodies, *rotations;
  // Not needed at the same time: what the points of a chunk say, and the equations, with their right side
  // below.
  Residual* residuals;
  double* matrix;
  HitCapsule* hits;
  CapsuleSurface* surfaces;
  Capsule* body;
  float *start, *pose, *next, *frames;
  int *joint_of_point, *solved;
  std::size_t bytes;

  __host__ __device__ FitMemory(unsigned char* first, int joints, int capsules, int parameters,
                                int pose_size) {
    unsigned char* at = first;
    const auto take = [&at](auto*& array, std::size_t count) {
      array = reinterpret_cast<decltype(+array)>(at);
      at += (count * sizeof(*array) + 15) / 16 * 16;
    };
    const std::size_t j = static_cast<std::size_t>(joints), k = static_cast<std::size_t>(capsules),
                      n = static_cast<std::size_t>(parameters), size = static_cast<std::size_t>(pose_size);
    take(part, 1);
    take(bend, 1);
    take(cost, 1);
    take(costs, fit_chunk);
    take(own, j * RigidSums::size);
    take(total, j * RigidSums::size);
    take(change, n);
    take(twists, 6 * n);
    take(of_bodies, 6 * n);
    take(rotations, 9 * j);
    unsigned char* const both = at;
    take(residuals, fit_chunk);
    unsigned char* const end = at;
    at = both;
    take(matrix, (n + 1) * n);
    if (at < end) at = end;
    take(hits, k);
    take(surfaces, k);
    take(body, k);
    take(start, size);
    take(pose, size);
    take(next, size);
    take(frames, j * detail::frame_floats);
    take(joint_of_point, fit_chunk);
    take(solved, 1);
    bytes = static_cast<std::size_t>(at - first);
  }
};

template <int Blocks>
class BlockFit {
  using Team = reduction::BlockTeam<Blocks>;

 public:
  __device__ BlockFit(const FitTask& task, unsigned char* memory)
      : g(task),
        s(memory, task.skeleton.joint_count, task.skeleton.capsule_count, task.parameters.count,
          task.parameters.pose_size),
        t(static_cast<int>(threadIdx.x)),
        lane(t % 32),
        warp(t / 32),
        n(task.parameters.count),
        joints(task.skeleton.joint_count),
        points(*task.points.count),
        chunks((points + fit_chunk - 1) / fit_chunk),
        reach(double{task.sensor.tau_m}) {}

  __device__ void refine() {
    if (points == 0) return;  // the same in all blocks
    for (int i = t; i < g.parameters.pose_size; i += fit_threads) s.start[i] = s.pose[i] = g.state.pose[i];
    __syncthreads();
    place(s.pose);
    int now = 0;  // which of the matches are those of s.pose
    double cost = align(s.pose, now);
    Damping damping;
    bool improved = true, settled = false;
    for (int step = 0; step < g.steps && improved && !settled; ++step) {
      sum_residuals(now);
      if (Team::rank() == 0) make_twists();
      improved = false;
      for (int attempt = 0; attempt < Damping::max_attempts && !improved; ++attempt) {
        if (Team::rank() == 0) solve(damping.value);
        Team::sync();
        if (*Team::of(s.solved, 0) != 0) {  // the same in all blocks
          move();
          place(s.next);
          const double there = align(s.next, 1 - now);
          if (there < cost) {
            improved = true;
            settled = Damping::is_settled(cost, there);
            cost = there;
            now = 1 - now;
            for (int i = t; i < g.parameters.pose_size; i += fit_threads) s.pose[i] = s.next[i];
            __syncthreads();
          }
        } else {
          Team::sync();  // before the first block says whether the next attempt is solved
        }
        damping.follow(improved);
      }
    }
    if (Team::rank() == 0) finish();
    Team::sync();  // a block ends when nothing reads its memory any more
  }

 private:
  // The capsules of a pose, as all forms that the points are compared with. Thread k owns a capsule.
  __device__ void place(const float* pose) {
    if (warp == 0) detail::place_joints<32>(g.skeleton, pose, s.frames, lane);
    __syncthreads();
    const detail::Vec camera(g.sensor.camera);
    for (int k = t; k < g.skeleton.capsule_count; k += fit_threads) {
      const Capsule c = detail::placed_capsule(g.skeleton, s.frames, k);
      const detail::Vec a = detail::Vec(c.a) - camera, d = detail::Vec(c.b) - detail::Vec(c.a);
      s.body[k] = c;
      s.hits[k] = HitCapsule(a, d, double{c.radius_m});
      s.surfaces[k] = CapsuleSurface(a, d, c.radius_m);
    }
    __syncthreads();
  }

  __device__ double bend_cost(const float* pose) const {
    double sum = 0;
    for (int i = 0; i < n - root; ++i) {
      const int angle = g.parameters.angle_of[i];
      const double bend = double{pose[angle]} - double{s.start[angle]};
      sum += bend * bend;
    }
    return kept_weight * sum;
  }

  // The capsule of each point, and the cost of the placed pose; valid in all threads of all blocks.
  __device__ double align(const float* pose, int into) {
    if (t == 32) *s.bend = bend_cost(pose);
    double cost = 0;  // in thread 0
    for (int first = 0; first < chunks; first += Blocks) {
      const int i = (first + Team::rank()) * fit_chunk + t;
      if (i < points) {
        const FitPoint point = g.points.points[i];
        RayMatch match;
        double bound = reach;
        for (int k = 0; k < g.skeleton.capsule_count; ++k) {
          const CapsuleSurface& surface = s.surfaces[k];
          const float square = surface.square_to_axis(point.p.x, point.p.y, point.p.z);
          if (!surface.may_be_near(square, static_cast<float>(bound))) continue;
          const double distance = std::fabs(std::sqrt(double{square}) - double{surface.radius_m});
          if (match_ray(match, distance, reach, point.measured_m, point.view, s.hits[k], k))
            bound = fmin(reach, std::fabs(match.off_m));
        }
        g.matches[into][i] = match;
        const bool is_hit = std::fabs(match.off_m) < reach;
        const double share = tukey_share(is_hit ? match.off_m : no_hit_m, reach);
        s.costs[t] = point_cost(share, reach, is_hit ? 1 : 0, point.inverse_variance);
      }
      __syncthreads();
      if (t == 0) {
        double of_chunk = 0;
        const int begin = (first + Team::rank()) * fit_chunk, end = min(points, begin + fit_chunk);
#pragma unroll 16
        for (int k = 0; k < end - begin; ++k) of_chunk += s.costs[k];
        *s.part = of_chunk;
        if (first == 0) cost = *s.bend;
      }
      Team::sync();
      if (t == 0)
        for (int rank = 0; rank < Blocks && first + rank < chunks; ++rank) cost += *Team::of(s.part, rank);
      if (first + Blocks < chunks) Team::sync();
    }
    if (t == 0) *s.cost = cost;
    __syncthreads();
    return *s.cost;
  }

  // A warp adds up the residuals of a joint, in the order of the points; lane k owns entry k of the sums.
  __device__ void add_up_joint(int joint) {
    int row = 0, column = lane;  // of the entry, in the lower half of the matrix
    while (column > row) column -= ++row;
    const bool is_right = lane >= RigidSums::matrix_size;
    if (is_right) row = lane - RigidSums::matrix_size;
    if (lane >= RigidSums::size) row = column = 0;
    double sum = 0;
    const auto add = [&](int i) {
      const Residual& residual = s.residuals[i];
      sum += residual.weight * residual.row.v[row] * (is_right ? residual.off : residual.row.v[column]);
    };
    for (int first = 0; first < fit_chunk; first += 32) {
      unsigned mine = __ballot_sync(~0u, s.joint_of_point[first + lane] == joint);
      if (mine == ~0u) {  // often, since the points of a chunk are neighbours; the reads overlap
#pragma unroll 8
        for (int i = first; i < first + 32; ++i) add(i);
      } else {
        for (; mine != 0; mine &= mine - 1) add(first + __ffs(static_cast<int>(mine)) - 1);
      }
    }
    if (lane < RigidSums::size) s.own[joint * RigidSums::size + lane] = sum;
  }

  // Of each joint, into the first block's total.
  __device__ void sum_residuals(int of) {
    const detail::Vec camera(g.sensor.camera),
        from_root = camera - detail::Vec(detail::load_position(s.frames));
    const int entries = joints * RigidSums::size;
    for (int first = 0; first < chunks; first += Blocks) {
      const int i = (first + Team::rank()) * fit_chunk + t;
      int joint = -1;
      if (i < points) {
        const RayMatch match = g.matches[of][i];
        const FitPoint point = g.points.points[i];
        const double share = tukey_share(std::fabs(match.off_m) < reach ? match.off_m : no_hit_m, reach);
        const double weight = share * share * point.inverse_variance;
        if (weight > 0) {
          const Capsule c = s.body[match.capsule];
          joint = g.skeleton.capsules[match.capsule].joint;
          s.residuals[t] =
              hit_residual(detail::Vec(point.p), point.view, match.off_m, detail::Vec(c.a) - camera,
                           detail::Vec(c.b) - detail::Vec(c.a), from_root, weight);
        }
      }
      s.joint_of_point[t] = joint;
      __syncthreads();
      for (int j = warp; j < joints; j += fit_threads / 32) add_up_joint(j);
      Team::sync();
      if (Team::rank() == 0)
        for (int e = t; e < entries; e += fit_threads) {
          double sum = first == 0 ? 0 : s.total[e];
          for (int rank = 0; rank < Blocks && first + rank < chunks; ++rank) sum += Team::of(s.own, rank)[e];
          s.total[e] = sum;
        }
      if (first + Blocks < chunks) Team::sync();
    }
  }

  // How the parameters move their joints. A lane owns a joint of a level. What a joint moves is one rigid
  // body to its parameters: the sums of its children are its own, too.
  __device__ void make_twists() {
    __syncthreads();
    if (warp == 0 && lane < RigidSums::size)
      for (int j = joints; j-- > 1;)
        s.total[g.skeleton.joints[j].parent * RigidSums::size + lane] += s.total[j * RigidSums::size + lane];
    if (warp == 1) {
      auto* const rotations = reinterpret_cast<detail::Rot*>(s.rotations);
      auto* const twists = reinterpret_cast<Six*>(s.twists);
      if (lane == 0)
        rotations[0] = detail::rotation_of_quaternion(double{s.pose[3]}, double{s.pose[4]}, double{s.pose[5]},
                                                      double{s.pose[6]});
      for (int i = lane; i < root * root; i += 32) s.twists[i] = i / root == i % root ? 1 : 0;
      const Vec3 at_root = detail::load_position(s.frames);
      __syncwarp();
      for (int level = 0; level < g.skeleton.level_count; ++level) {
        for (int k = g.skeleton.level_begin[level] + lane; k < g.skeleton.level_begin[level + 1]; k += 32) {
          const int j = g.skeleton.by_level[k];
          const detail::FlatJoint joint = g.skeleton.joints[j];
          detail::Rot rotation = rotations[joint.parent];
          for (int r = 0; r < (joint.axes & 3); ++r) {
            const int axis = joint.axes >> (2 + 2 * r) & 3, angle = joint.first_angle + r;
            const int p = g.parameters.parameter_of_angle[angle];
            if (p >= 0)
              twists[p] = twist_about(rotation * unit_of(axis),
                                      detail::load_position(s.frames + j * detail::frame_floats), at_root);
            rotation = rotation * portable_rotation_about(axis, s.pose[angle]);
          }
          rotations[j] = rotation;
        }
        __syncwarp();
      }
    }
    __syncthreads();
  }

  // The lower half row by row, and the right side as one row more. Thread p prepares a parameter, then each
  // thread owns some entries.
  __device__ void make_equations() {
    const auto* const twists = reinterpret_cast<const Six*>(s.twists);
    auto* const of_bodies = reinterpret_cast<Six*>(s.of_bodies);
    for (int p = t; p < n; p += fit_threads) {
      const double* const sums = s.total + g.parameters.joint_of[p] * RigidSums::size;
      of_bodies[p] = pushed(sums, twists[p]);
      double right = right_of(sums, twists[p]);
      if (p >= root) {
        const int angle = g.parameters.angle_of[p - root];
        right += 2 * kept_weight * (double{s.start[angle]} - double{s.pose[angle]});
      }
      s.matrix[n * n + p] = right;
    }
    for (int e = t; e < n * n; e += fit_threads) s.matrix[e] = 0;
    __syncthreads();
    for (int e = t; e < n * n; e += fit_threads) {
      const int p = e / n, place = e % n;
      if (place >= g.parameters.move_count[p]) continue;
      const int q = g.parameters.moves[g.parameters.first_move[p] + place];
      double entry = dot(twists[q], of_bodies[p]);
      if (p == q && p >= root) entry += 2 * kept_weight;
      s.matrix[p * n + q] = entry;
    }
    __syncthreads();
  }

  // NormalEquations::solve(): each entry has the same terms in the same order. The right side is eliminated
  // with the rows.
  __device__ void solve(double damping) {
    make_equations();
    const double floor = Damping::floor(*g.points.mean_inverse_variance);
    for (int i = t; i < n; i += fit_threads) s.matrix[i * n + i] += damping * (s.matrix[i * n + i] + floor);
    bool is_definite = true;
    for (int k = 0; k < n && is_definite; ++k) {
      __syncthreads();
      const double square = s.matrix[k * n + k];  // read by all threads: the same decision in all
      is_definite = square > 0;
      const double pivot = std::sqrt(square);
      for (int i = k + 1 + t; i <= n; i += fit_threads) s.matrix[i * n + k] /= pivot;
      __syncthreads();
      if (t == 0) s.matrix[k * n + k] = pivot;
      constexpr int side = 16;  // the threads as a square over the entries below and to the right
      static_assert(side * side == fit_threads);
      for (int i = k + 1 + t / side; i <= n; i += side)
        for (int j = k + 1 + t % side; j <= i && j < n; j += side)
          s.matrix[i * n + j] -= s.matrix[i * n + k] * s.matrix[j * n + k];
    }
    __syncthreads();
    if (warp == 0) {
      double* const x = s.matrix + n * n;
      bool is_finite = is_definite;
      for (int i = n; is_definite && i-- > 0;) {
        if (lane == 0) x[i] /= s.matrix[i * n + i];
        __syncwarp();
        for (int k = lane; k < i; k += 32) x[k] -= s.matrix[i * n + k] * x[i];
        __syncwarp();
      }
      for (int i = lane; i < n; i += 32) {
        s.change[i] = x[i];
        is_finite = is_finite && std::isfinite(x[i]);
      }
      const bool all_finite = __all_sync(~0u, is_finite) != 0;
      if (lane == 0) *s.solved = all_finite ? 1 : 0;
    }
  }

  // s.pose by the solution of the first block, into s.next.
  __device__ void move() {
    const double* const change = Team::of(s.change, 0);
    for (int i = t; i < g.parameters.pose_size; i += fit_threads) {
      float to = s.pose[i];
      const int p = g.parameters.parameter_of_angle[i];
      if (i < 3) to += static_cast<float>(change[i]);
      if (p >= 0) to = moved_angle(to, change[p], g.parameters.lower[p - root], g.parameters.upper[p - root]);
      s.next[i] = to;
    }
    __syncthreads();
    if (t == 0) turn_root(s.next, {change[3], change[4], change[5]});
    __syncthreads();
  }

  // Writes what changed. All bits stay when the pose does.
  __device__ void finish() {
    bool moved = false;
    for (int i = t; i < g.parameters.pose_size; i += fit_threads) moved = moved || s.pose[i] != s.start[i];
    if (__syncthreads_or(moved) == 0) return;
    if (warp == 0) detail::place_joints<32>(g.skeleton, s.pose, s.frames, lane);
    __syncthreads();
    for (int i = t; i < g.parameters.pose_size; i += fit_threads) g.state.pose[i] = s.pose[i];
    for (int i = t; i < 3 * joints; i += fit_threads)
      g.state.joints[i] = s.frames[i / 3 * detail::frame_floats + 9 + i % 3];
    for (int d = t; d < g.parameters.pose_size - 1; d += fit_threads)
      g.state.centre[d] = centre_of_pose(s.pose, *g.state.frame, d);
  }

  static constexpr int root = 6;

  const FitTask& g;
  FitMemory s;
  int t, lane, warp, n, joints, points, chunks;
  double reach;
};

}  // namespace triptych::capsule_likelihood
