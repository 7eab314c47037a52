// How well posed bodies of capsules explain a cloud of points seen from a camera: the truncated difference
// between a point's distance from the camera and the distance at which its ray hits the body.
//
// The sums are exact integers of distances that every device rounds in the same way: brute force and culling,
// CPU and GPU, any order of the points, any tile size and any split give the same bits.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/matrix_view.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <span>

namespace triptych::capsule_likelihood {

// brute: every ray against every capsule. culled: only capsules that can come within tau of a tile of rays.
// tiled: the tiles of the paper's kernel (GPU only), a thread for each point, a launch for every few samples;
// for the arithmetic of the paper, see paper_loop.hpp.
enum class Method { culled, brute, tiled };

struct EvaluateOptions {
  Method method = Method::culled;
  // 0: chosen so that no kernel runs long (tiled: 8, as in the paper), or what tune.hpp found.
  int samples_per_launch = 0;
  // 0: 128 (brute: 512), or what tune.hpp found. culled: 64 or 128; brute: 128, 256 or 512; tiled: a multiple
  // of 32 up to 512. On the GPU only.
  int points_per_block = 0;
};

// log_likelihoods[j] of body j (row j of bodies, its capsules): for Loss::squared the sum of -d^2 / (2
// sigma^2), for Loss::absolute that of -d / sigma; no constant. InvalidArgument, naming the sample and the
// capsule, when a capsule is not finite or has a negative radius, and when sizes do not fit. threads 0: all
// cores.
void evaluate_cpu(const Rays& rays, MatrixView<const Capsule> bodies, std::span<double> log_likelihoods,
                  const EvaluateOptions& options = {}, int threads = 0);

// The same bits on the GPU: enqueues and returns. No synchronisation, no allocation once the workspace is
// large enough; can be captured in a graph. InvalidArgument when sizes or options do not fit. A capsule that
// is not finite or has a negative radius is not reported: the likelihood of its body is NaN.
void evaluate_cuda(const DeviceRays& rays, DeviceMatrixView<const Capsule> bodies,
                   DeviceSpan<double> log_likelihoods, const EvaluateOptions& options, Workspace& workspace,
                   StreamRef stream);

}  // namespace triptych::capsule_likelihood
