// Allocations that fail, one after the other, in a training, in making fitters, and in fits on the CPU:
// std::bad_alloc comes out, nothing leaks (under the address sanitizer), and the objects work as before. This
// program replaces operator new; what Eigen allocates by malloc is not counted. Loading and saving are left
// out: the destructor of nlohmann::json allocates, and ends the program when that fails.
#include <triptych/aam_fit/face_tracker.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>

#include "aam_fit/small_examples.hpp"
#include "aam_fit/tiny_model.hpp"
#include "model/model_format.hpp"

namespace {

// Of this thread: how many allocations still succeed; negative: all.
thread_local std::int64_t allocations_left = -1;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (allocations_left == 0) return nullptr;
  if (allocations_left > 0) --allocations_left;
  const std::size_t rounded = (size + alignment) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded);
}
void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* p = allocate(size, alignment)) return p;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: a compiler that looks into only one of a pair takes them for mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocate_or_throw(size, 16); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t to) {
  return allocate_or_throw(size, static_cast<std::size_t>(to));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 16);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace triptych::aam_fit {
namespace {

// Runs the body with every one of its allocations failing in turn, until it has as many as it needs; after
// each failure `intact` is called. Returns how many failed.
int fail_each(const std::function<void()>& body, const std::function<void()>& intact) {
  for (int n = 0;; ++n) {
    bool failed = false;
    allocations_left = n;
    try {
      body();
    } catch (const std::bad_alloc&) {
      failed = true;
    } catch (const Error& error) {
      allocations_left = -1;
      ADD_FAILURE() << "allocation " << n << " became an Error: " << error.what();
    }
    allocations_left = -1;
    intact();
    if (!failed) return n;
  }
}

void expect_some(int failures) {
  EXPECT_GT(failures, 0);
  testing::Test::RecordProperty("faults_injected", failures);
}

TEST(AamAllocation, FailsInTraining) {
  const std::vector<Example> examples = test::small_examples();
  const TrainOptions options = test::small_training();
  const std::string expected = encode_model(train(examples, options));
  int calls = 0;
  expect_some(fail_each([&] { train(examples, options); },
                        [&] {
                          if (++calls % 64 != 0) return;
                          EXPECT_EQ(encode_model(train(examples, options)), expected);
                        }));
  EXPECT_EQ(encode_model(train(examples, options)), expected);
}

TEST(AamAllocation, FailsInMaking) {
  const Model model = test::tiny_model();
  int failures = 0;
  for (const Algorithm algorithm : {Algorithm::regression, Algorithm::simultaneous})
    failures += fail_each([&] { Fitter(model, {.algorithm = algorithm}, Device::cpu(1)); }, [] {});
  expect_some(failures);
}

TEST(AamAllocation, FailsInFits) {
  const Model model = test::tiny_model();
  Image<Grey8> frame(48, 40);
  for (std::size_t i = 0; i < frame.pixels.size(); ++i)
    frame.pixels[i] = {static_cast<std::uint8_t>((i * i / 7 + 13 * i) % 253)};
  const Face face{frame.view(), start_in_box(model, {8, 8, 24, 24}, 48, 40)};
  int failures = 0;
  for (const Algorithm algorithm : {Algorithm::regression, Algorithm::project_out, Algorithm::simultaneous}) {
    const FitterOptions options{.algorithm = algorithm};
    const Fit expected = Fitter(model, options, Device::cpu(1)).step(face);
    Fitter fitter(model, options, Device::cpu(1));  // its first frame allocates the scratch
    const auto intact = [&] {
      Fitter copy = std::move(fitter);
      fitter = Fitter(model, options, Device::cpu(1));
      EXPECT_EQ(copy.in_flight(), 0);
      const Fit fit = copy.step(face);
      EXPECT_EQ(fit.landmarks, expected.landmarks);
      EXPECT_EQ(fit.parameters, expected.parameters);
    };
    failures += fail_each([&] { fitter.step(face); }, intact);
    failures += fail_each(
        [&] {
          fitter.submit(face);
          fitter.next();
        },
        [&] {
          fitter.reset();
          intact();
        });
    FaceTracker tracker(model, {.fitter = options, .box = Box{8, 8, 24, 24}}, Device::cpu(1));
    failures += fail_each([&] { tracker.step(frame.view()); }, [&] { tracker.reset(); });
    const TrackedFace tracked = tracker.step(frame.view());
    EXPECT_EQ(tracked.fit.landmarks, expected.landmarks);
  }
  expect_some(failures);
}

}  // namespace
}  // namespace triptych::aam_fit
