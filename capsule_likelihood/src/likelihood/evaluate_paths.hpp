// The ways in which the CPU evaluates culled rays, by name, for tests and benches: all give the same bits.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/cpu_path.hpp>

#include <cstdint>
#include <span>

namespace triptych::capsule_likelihood {

// What this machine can run; plain is always among them, simd is not listed.
std::span<const CpuPath> available_cpu_paths();

// As evaluate_cpu by Method::culled. InvalidArgument when the machine lacks the path (simd falls back to
// plain).
void evaluate_cpu_by(CpuPath path, const Rays& rays, MatrixView<const Capsule> bodies,
                     std::span<double> log_likelihoods, int threads);

// Adds the loss of each body in the steps of loss_steps(): integers that may be summed over several clouds.
// log_likelihood(sum, 0, log_of_step(sensor, true)) then has the bits of one cloud of all their points.
void add_losses_cpu(const Rays& rays, MatrixView<const Capsule> bodies, std::span<std::int64_t> losses,
                    int threads);
// The same on the GPU, of one cloud: sets the losses. Enqueues and returns; can be captured in a graph. A
// body with a capsule that is not valid has the largest loss.
void losses_cuda(const DeviceRays& rays, DeviceMatrixView<const Capsule> bodies,
                 DeviceSpan<std::int64_t> losses, Workspace& workspace, StreamRef stream);

// InvalidArgument for a number that is no Method.
void check_method(Method method);
// InvalidArgument when the sizes do not fit or, where it is on the host, a capsule is not valid.
void check_bodies(MatrixView<const Capsule> bodies, std::size_t results);

}  // namespace triptych::capsule_likelihood
