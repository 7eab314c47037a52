// PyRays: the points of a frame as rays, on the host or on a GPU, and the likelihoods of bodies.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/workspace.hpp>

#include <memory>
#include <mutex>
#include <optional>

#include "inputs.hpp"
#include "stream_order.hpp"

namespace triptych::python::capsule {

class PyRays {
 public:
  PyRays(const cl::SensorModel& sensor, int threads) : sensor_(sensor), threads_(threads) {}

  // Reads points, and sigmas unless null, from the host, or (enqueued on the stream) from the GPU that has
  // them. max_points: room on the GPU, so that later clouds allocate nothing.
  void set(const Array& points, const Array* sigma, std::optional<StreamRef> stream, std::int64_t max_points);

  // float64 (n,): a NumPy array; for bodies on the GPU a DeviceArray, or out, filled by work on the stream.
  nb::object log_likelihood(const Array& bodies, const cl::EvaluateOptions& options, nb::handle out,
                            std::optional<StreamRef> stream);

  cl::PointCount count();
  double max_loss();
  const cl::SensorModel& sensor() const { return sensor_; }
  bool on_gpu() const { return gpu_ != nullptr; }
  int ordinal() const { return gpu_ ? gpu_->ordinal : -1; }

 private:
  struct Gpu {
    int ordinal;
    std::int64_t max_points;
    cl::DeviceRays rays;
    Workspace workspace;
    StreamOrder order;
  };

  cl::SensorModel sensor_;
  int threads_;
  std::mutex mutex_;
  std::unique_ptr<cl::Rays> host_;
  std::unique_ptr<Gpu> gpu_;
};

}  // namespace triptych::python::capsule
