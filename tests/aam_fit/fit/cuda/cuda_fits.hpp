// Fits on the GPU for tests: uploads a scene's planes and parameters, fits, brings the result back.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>

#include <vector>

#include "testing/aam_scene.hpp"
#include "testing/cuda_fixture.hpp"

namespace triptych::test {

struct CudaFit {
  std::vector<float> parameters;
  aam_fit::DeviceLevelFit result;
  std::vector<double> in_double() const { return {parameters.begin(), parameters.end()}; }
};

class CudaFits : public CudaFixture {
 protected:
  // The planes on the device with rows of `spare` more floats than they are wide, NaN there: nothing may read
  // them.
  struct DevicePlanes {
    DeviceBuffer<float> values;
    aam_fit::DevicePlanesView view;
  };
  DevicePlanes upload_planes(const aam_fit::Planes& planes, int spare = 0) {
    const std::int64_t pitch = planes.width + spare, rows = std::int64_t{planes.height} * planes.channels;
    std::vector<float> values(static_cast<std::size_t>(pitch * rows), std::nanf(""));
    for (std::int64_t y = 0; y < rows; ++y)
      std::copy_n(planes.values.begin() + y * planes.width, planes.width, values.begin() + y * pitch);
    DevicePlanes d{upload(values), {}};
    d.view = {DeviceImageView<const float>(d.values.data(), planes.width, rows,
                                           pitch * static_cast<std::int64_t>(sizeof(float))),
              planes.channels};
    return d;
  }

  std::vector<CudaFit> fit(aam_fit::LevelFitterCuda& fitter,
                           const std::vector<aam_fit::DevicePlanesView>& planes,
                           const std::vector<std::vector<float>>& starts) {
    const auto faces = static_cast<std::int64_t>(planes.size());
    const std::int64_t q = fitter.parameter_count();
    GuardedDevice<float> parameters(faces * q, stream());
    GuardedDevice<aam_fit::DeviceLevelFit> results(faces, stream());
    std::vector<float> flat;
    for (const auto& start : starts) flat.insert(flat.end(), start.begin(), start.end());
    copy_to_device(std::span<const float>(flat), parameters.span(), stream());
    const auto allocations = device_allocation_count();
    fit_cuda(fitter, planes, parameters.span(), results.span(), stream());
    EXPECT_EQ(device_allocation_count(), allocations) << "a fit allocated";
    const auto all = parameters.to_host();
    const auto how = results.to_host();
    EXPECT_TRUE(parameters.intact());
    EXPECT_TRUE(results.intact());
    std::vector<CudaFit> fits;
    for (std::int64_t i = 0; i < faces; ++i)
      fits.push_back({{all.begin() + i * q, all.begin() + (i + 1) * q}, how[static_cast<std::size_t>(i)]});
    return fits;
  }
  CudaFit fit(aam_fit::LevelFitterCuda& fitter, const aam_fit::DevicePlanesView& planes,
              const std::vector<float>& start) {
    return fit(fitter, std::vector<aam_fit::DevicePlanesView>{planes},
               std::vector<std::vector<float>>{start})[0];
  }
  CudaFit fit(const AamScene& scene, const aam_fit::FitOptions& options, int spare = 0) {
    aam_fit::LevelFitterCuda fitter(scene.level, options, 1, stream());
    const DevicePlanes planes = upload_planes(scene.planes, spare);
    return fit(fitter, planes.view, scene.start);
  }
};

}  // namespace triptych::test
