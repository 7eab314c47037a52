// An engine that hands everything on to another one; what differs is overridden.
#pragma once

#include <span>
#include <vector>

#include "filter/filter_engine.hpp"

namespace triptych::capsule_likelihood {

class ForwardingEngine : public FilterEngine {
 public:
  // engine: outlives it.
  explicit ForwardingEngine(FilterEngine& engine)
      : FilterEngine(engine.skeleton(), engine.sensor()), engine_(engine) {}

  int threads() const override { return engine_.threads(); }
  bool fits_estimates() const override { return engine_.fits_estimates(); }
  void start(std::span<const float> pose, float widen) override { engine_.start(pose, widen); }
  void submit(const CloudView& cloud) override { engine_.submit(cloud); }
  void check_device_clouds() const override { engine_.check_device_clouds(); }
  void submit(const DeviceCloudView& cloud) override { engine_.submit(cloud); }
  void download(const DeviceCloudView& cloud, std::span<Vec3> points, std::span<float> sigma_m) override {
    engine_.download(cloud, points, sigma_m);
  }
  Estimate next() override { return engine_.next(); }
  void drop() override { engine_.drop(); }
  std::vector<float> samples() const override { return engine_.samples(); }

 protected:
  FilterEngine& engine() { return engine_; }

 private:
  FilterEngine& engine_;
};

}  // namespace triptych::capsule_likelihood
