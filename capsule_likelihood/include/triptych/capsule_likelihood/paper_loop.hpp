// The programs of the paper in its own arithmetic: floats, seven per capsule, three quadratic equations per
// pair of a point and a capsule, float sums of distances. The reference of the speed-ups, the paper's and
// ours; for applications, use likelihood.hpp.
//
// distances[j] becomes the sum over the points of the truncated distance from body j. Floats lose digits
// here: near tangents hits and misses flip, and the sum of 50,000 points is off by about 1e-4 of itself.
// InvalidArgument when the sizes do not fit; nothing else is checked.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/matrix_view.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>

#include <span>

namespace triptych::capsule_likelihood {

// The sequential loop of the paper's listing 1.2, on one thread.
void evaluate_paper_loop_cpu(std::span<const Vec3> points, MatrixView<const Capsule> bodies,
                             const Vec3& camera, float max_distance, std::span<float> distances);

// The kernels of section 5: a thread for each point of a tile of 128, points and capsules in shared memory by
// coordinate, a launch for every 8 samples, then a block for each sample that adds up the sums of its tiles.
// The distance of a point has the bits of the loop; the sums have another order, which is fixed: the same
// bits in all runs and on all GPUs. Enqueues and returns. No synchronisation, no allocation once the
// workspace is large enough; can be captured in a graph.
void evaluate_paper_tiles_cuda(DeviceSpan<const Vec3> points, DeviceMatrixView<const Capsule> bodies,
                               const Vec3& camera, float max_distance, DeviceSpan<float> distances,
                               Workspace& workspace, StreamRef stream);

}  // namespace triptych::capsule_likelihood
