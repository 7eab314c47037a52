// A fit allocates its result and nothing else, however many steps it takes; a head pose nothing at all. This
// program counts every allocation.
#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/head_pose.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "testing/aam_scene.hpp"

namespace {
std::atomic<std::int64_t> allocations{0};
}

// Not inlined: a compiler that looks into only one of a pair takes them for mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace triptych::aam_fit {
namespace {

TEST(FitAllocation, IsTheResultAlone) {
  const test::AamScene scene = test::make_aam_scene({.pixels = 6000, .modes = 12});
  LevelFitter fitter(scene.level, Storage::float32, 2);
  for (const Form form : {Form::one_pass, Form::paper})
    for (const int most : {1, 5, 12}) {
      const FitOptions options{.form = form, .max_iterations = most, .always_step = true};
      fit_cpu(fitter, scene.planes.view(), scene.start, options);
      const std::int64_t before = allocations;
      const LevelFit fit = fit_cpu(fitter, scene.planes.view(), scene.start, options);
      EXPECT_EQ(allocations - before, 2) << "parameters and errors";
      EXPECT_EQ(fit.iterations, most);
    }
}

TEST(HeadPoseAllocation, IsNothing) {
  const PinholeCamera camera{500, 160, 120};
  Shape face;
  for (const Point3& p : mean_face_68()) face.push_back({160 + 900 * p.x, 120 + 900 * p.y - 200 * p.z});
  PoseSmoother smoother;
  const std::int64_t before = allocations;
  for (int k = 0; k < 3; ++k) smoother.smooth(estimate_head_pose(face, camera), 0.03);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace triptych::aam_fit
