// How long fits take on this GPU: printed, with what is asked of an H200 checked in a run that asks for it
// (TRIPTYCH_CHECK_TIMES=1).
#include "aam_fit/fit/cuda/cuda_fits.hpp"

#include <triptych/core/graph.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::make_aam_scene;
using test::whole_steps;

class FitCudaTimes : public test::CudaFits {
 protected:
  struct Times {
    double median_us, least_us, most_us;
  };
  // Of one fit: graphs of several, replayed.
  Times time(LevelFitterCuda& fitter, const std::vector<DevicePlanesView>& planes,
             const std::vector<float>& starts, int fits) {
    const auto start = upload(starts);
    DeviceBuffer<float> parameters(start.size());
    DeviceBuffer<DeviceLevelFit> results(static_cast<std::int64_t>(planes.size()));
    copy_on_device(start.span(), parameters.span(), stream());
    const Graph graph = Graph::capture(stream(), [&] {
      for (int i = 0; i < fits; ++i) fit_cuda(fitter, planes, parameters.span(), results.span(), stream());
    });
    graph.launch(stream());
    Event begin, end;
    std::vector<double> us;
    for (int i = 0; i < 15; ++i) {
      copy_on_device(start.span(), parameters.span(), stream());
      begin.record(stream());
      graph.launch(stream());
      end.record(stream());
      end.synchronize();
      us.push_back(1e3 * Event::elapsed_ms(begin, end) / fits);
    }
    std::sort(us.begin(), us.end());
    return {us[us.size() / 2], us.front(), us.back()};
  }
};

TEST_F(FitCudaTimes, OfTenIterations) {
  for (const std::int64_t pixels : {4096, 16384, 65536}) {
    for (const int modes : {20, 60}) {
      const AamScene scene = make_aam_scene({pixels, modes, 1, 0.1, 1, 31});
      const auto planes = upload_planes(scene.planes);
      const std::vector views{planes.view};
      double one_pass = 0;
      for (const auto& [form, storage, search] : {std::tuple{Form::one_pass, Storage::float32, false},
                                                  {Form::one_pass, Storage::float16, false},
                                                  {Form::one_pass, Storage::float32, true},
                                                  {Form::literal, Storage::float32, false}}) {
        FitOptions options = whole_steps(10, storage, form);
        if (search) {
          options.always_step = false;
          options.least_gain = options.least_move_px = 0;  // until no step size helps
        }
        LevelFitterCuda fitter(scene.level, options, 1, stream());
        const Times t = time(fitter, views, scene.start, search ? 1 : form == Form::literal ? 2 : 10);
        if (form == Form::one_pass && storage == Storage::float32 && !search) one_pass = t.median_us;
        std::printf("n %6lld m %d%s: %7.1f us (%.1f-%.1f), %s\n", static_cast<long long>(pixels), modes,
                    search ? " with search" : "", t.median_us, t.least_us, t.most_us,
                    fitter.describe().c_str());
        std::fflush(stdout);
        if (std::getenv("TRIPTYCH_CHECK_TIMES") == nullptr || modes != 60) continue;
        if (form == Form::literal) {
          EXPECT_GE(t.median_us, 4 * one_pass);
        } else if (!search && pixels != 16384) {
          EXPECT_LE(t.median_us, pixels == 65536 ? 70 : 40);
        }
      }
    }
  }
}

TEST_F(FitCudaTimes, OfBatches) {
  const AamScene scene = make_aam_scene({16384, 60, 1, 0.1, 1, 31});
  const auto planes = upload_planes(scene.planes);
  for (const Storage storage : {Storage::float32, Storage::float16}) {
    double alone = 0;
    for (const int faces : {1, 2, 3, 4, 8, 32, 128, 256}) {
      LevelFitterCuda fitter(scene.level, whole_steps(10, storage), faces, stream());
      std::vector<float> starts;
      for (int i = 0; i < faces; ++i) {
        const auto start = test::aam_start(scene, 1, 1, static_cast<std::uint64_t>(i));
        starts.insert(starts.end(), start.begin(), start.end());
      }
      const std::vector<DevicePlanesView> views(static_cast<std::size_t>(faces), planes.view);
      const Times t = time(fitter, views, starts, 2);
      if (faces == 1) alone = t.median_us;
      std::printf(
          "%3d faces of n 16384 m 60, %s: %7.1f us (%.1f-%.1f), %.2f us a face, %.1f times one alone\n",
          faces, storage == Storage::float32 ? "floats" : "halves", t.median_us, t.least_us, t.most_us,
          t.median_us / faces, alone * faces / t.median_us);
      std::fflush(stdout);
      if (std::getenv("TRIPTYCH_CHECK_TIMES") != nullptr && faces == 256) {
        EXPECT_GE(alone * faces / t.median_us, 10);
      }
    }
  }
}

}  // namespace
}  // namespace triptych::aam_fit
