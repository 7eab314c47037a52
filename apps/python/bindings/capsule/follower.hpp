// Follower: a ParticleFilter that searches for the first pose by itself, and knows how it was made.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/error.hpp>

#include <string>
#include <utility>
#include <vector>

#include "capsule.hpp"

namespace triptych::python::capsule {

class Follower {
 public:
  using Result = cl::Estimate;

  Follower(Body skeleton, const cl::FilterOptions& options, const Device& device, std::string device_text)
      : skeleton_(std::move(skeleton)),
        options_(options),
        device_text_(std::move(device_text)),
        filter_(skeleton_, options, device) {}

  void start(std::span<const float> pose) {
    std::vector<float> copy(pose.begin(), pose.end());
    filter_.start(pose);
    pose_ = std::move(copy);
    started_ = true;
  }
  template <class View>
  cl::Estimate find(const View& cloud) {
    return searched([&] { return filter_.find(cloud); });
  }
  cl::Estimate find_cameras(std::span<const cl::CloudView> clouds) {
    return searched([&] { return filter_.find_cameras(clouds); });
  }
  template <class View>
  cl::Estimate step(const View& cloud) {
    if (!started_) find(cloud);
    return remembered(filter_.step(cloud));
  }
  cl::Estimate step_cameras(std::span<const cl::CloudView> clouds) {
    if (!started_) find_cameras(clouds);
    return remembered(filter_.step_cameras(clouds));
  }
  template <class View>
  void submit(const View& cloud) {
    if (!started_) find(cloud);
    filter_.submit(cloud);
  }
  cl::Estimate next() { return remembered(filter_.next()); }
  void reset() {
    filter_.reset();
    pose_.clear();
    started_ = false;
  }

  int in_flight() const { return filter_.in_flight(); }
  void wait(const Event& event) { filter_.wait(event); }
  const Device& device() const { return filter_.device(); }
  Latency latency() const { return filter_.latency(); }
  std::string describe() const { return filter_.describe(); }
  std::vector<float> samples() const { return filter_.samples(); }

  const Body& skeleton() const { return skeleton_; }
  const cl::FilterOptions& options() const { return options_; }  // as given: samples may be 0
  const std::string& device_text() const { return device_text_; }
  // Of start(), or of the last result; empty when there is none.
  const std::vector<float>& pose() const { return pose_; }

 private:
  template <class Search>
  cl::Estimate searched(Search&& search) {
    try {
      cl::Estimate estimate = remembered(search());
      started_ = true;
      return estimate;
    } catch (const InvalidArgument&) {  // the filter is as before
      throw;
    } catch (...) {
      started_ = false;
      throw;
    }
  }
  cl::Estimate remembered(cl::Estimate estimate) {
    pose_ = estimate.pose;
    return estimate;
  }

  Body skeleton_;
  cl::FilterOptions options_;
  std::string device_text_;
  cl::ParticleFilter filter_;
  std::vector<float> pose_;
  bool started_ = false;
};

}  // namespace triptych::python::capsule
