#include <triptych/core/device_guard.hpp>

#include <algorithm>

#include "../compute.hpp"
#include "../device_array.hpp"
#include "rays.hpp"

namespace triptych::python::capsule {

void PyRays::set(const Array& points, const Array* sigma, std::optional<StreamRef> stream,
                 std::int64_t max_points) {
  if (sigma != nullptr) check_sigmas(*sigma, points);
  if (!points.on_gpu()) {
    const auto span = host_points(points);
    const auto sigmas = sigma != nullptr ? host_floats(*sigma) : std::span<const float>();
    compute(mutex_, [&] {
      host_ = std::make_unique<cl::Rays>(span, sigmas, sensor_, threads_);
      gpu_.reset();
    });
    return;
  }
  const auto span = device_points(points);
  const auto sigmas = sigma != nullptr ? device_floats(*sigma) : DeviceSpan<const float>();
  const DeviceGuard guard(points.ordinal());
  compute(mutex_, [&] {
    if (!gpu_ || gpu_->ordinal != points.ordinal() || gpu_->max_points < span.size()) {
      const std::int64_t room = std::max({max_points, span.size(), std::int64_t{1}});
      gpu_ = std::make_unique<Gpu>(
          Gpu{points.ordinal(), room, cl::DeviceRays(room, sensor_), Workspace(), StreamOrder()});
    }
    gpu_->order.run(*stream, [&] { gpu_->rays.set(span, sigmas, gpu_->workspace, *stream); });
    host_.reset();
  });
}

nb::object PyRays::log_likelihood(const Array& bodies, const cl::EvaluateOptions& options, nb::handle out,
                                  std::optional<StreamRef> stream) {
  check_bodies(bodies);
  if (bodies.ordinal() != ordinal())
    throw InvalidArgument(std::string(bodies.argument()) + ": the points are " +
                          (on_gpu() ? "on cuda:" + std::to_string(ordinal()) : std::string("on the host")) +
                          ", the bodies are " + bodies.describe() + (bodies.on_gpu() ? "" : " on the host") +
                          "; both must be in the same memory");
  const auto rows = static_cast<std::size_t>(bodies.shape(0));
  if (!on_gpu()) {
    require(out.is_none(), "out: it is for arrays on a GPU");
    std::vector<double> values(rows);
    const auto view = bodies_view<MatrixView<const cl::Capsule>>(bodies);
    compute(mutex_, [&] { cl::evaluate_cpu(*host_, view, values, options, threads_); });
    return to_numpy(std::move(values), {rows});
  }
  const auto view = bodies_view<DeviceMatrixView<const cl::Capsule>>(bodies);
  const DeviceGuard guard(ordinal());
  const auto evaluate = [&](double* target) {
    compute(mutex_, [&] {
      gpu_->order.run(*stream, [&] {
        cl::evaluate_cuda(gpu_->rays, view, DeviceSpan<double>(target, bodies.shape(0)), options,
                          gpu_->workspace, *stream);
      });
    });
  };
  if (out.is_none()) {
    DeviceArray result(nb::dtype<double>(), {rows}, ordinal());
    evaluate(result.data<double>());
    result.filled_on(*stream);
    return nb::cast(std::move(result));
  }
  const Array target = array_on(*stream, out, "out");
  target.require_shape({bodies.shape(0)}, "one element for each body");
  require(target.ordinal() == ordinal(), "out: expected an array on cuda:", ordinal(), ", not ",
          target.describe());
  evaluate(const_cast<double*>(target.contiguous<double>()));
  return nb::borrow(out);
}

cl::PointCount PyRays::count() {
  if (!on_gpu()) return host_->count();
  const DeviceGuard guard(ordinal());
  return compute(mutex_, [&] { return gpu_->rays.count(gpu_->order.last()); });
}

double PyRays::max_loss() {
  if (!on_gpu()) return host_->max_loss();
  const DeviceGuard guard(ordinal());
  return compute(mutex_, [&] { return gpu_->rays.max_loss(gpu_->order.last()); });
}

}  // namespace triptych::python::capsule
