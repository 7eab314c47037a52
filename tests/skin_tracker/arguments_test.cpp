// Every public function of the module refuses bad arguments by InvalidArgument, names the argument and leaves
// the caller's output alone.
#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/one_euro.hpp>
#include <triptych/skin_tracker/perspective.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "skin_tracker/grey_frame.hpp"
#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::skin_tracker {
namespace {

using test::expect_refusals;
using test::Refusal;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr int huge_int = std::numeric_limits<int>::max();
constexpr LinearFilter filter = generic_skin_filter;

TEST(Arguments, OfFrames) {
  const std::uint8_t* const p = grey_bytes().data();
  const auto frame = [](auto... arguments) { return [=] { Frame{arguments...}; }; };
  const Refusal refusals[] = {
      {"Frame: no data", frame(FrameFormat::rgb, static_cast<const std::uint8_t*>(nullptr), 4, 4, 12),
       "null"},
      {"Frame: a negative width", frame(FrameFormat::rgb, p, -1, 4, 12), "-1 x 4"},
      {"Frame: a negative height", frame(FrameFormat::rgb, p, 4, -1, 12), "4 x -1"},
      {"Frame: a width that overflows", frame(FrameFormat::rgba, p, huge, 4, huge), "larger than"},
      {"Frame: a height that overflows", frame(FrameFormat::rgba, p, 4, huge, 16), "larger than"},
      {"Frame: too wide", frame(FrameFormat::rgb, p, max_width + 1, 1, 3 * max_width + 3), "larger than"},
      {"Frame: too high", frame(FrameFormat::rgb, p, 1, max_height + 1, 3), "larger than"},
      {"Frame: a pitch below a row", frame(FrameFormat::rgb, p, 4, 4, 11), "pitch"},
      {"Frame: a negative pitch", frame(FrameFormat::rgb, p, 4, 4, -12), "pitch"},
      {"Frame: a pitch that overflows", frame(FrameFormat::rgb, p, 4, 4, huge), "pitch"},
      {"Frame: an odd yuyv width", frame(FrameFormat::yuyv, p, 5, 4, 16), "even"},
      {"Frame: an odd nv12 width", frame(FrameFormat::nv12, p, 5, 4, 8, p, 8), "even"},
      {"Frame: an odd nv12 height", frame(FrameFormat::nv12, p, 4, 5, 8, p, 8), "even"},
      {"Frame: nv12 without chroma", frame(FrameFormat::nv12, p, 4, 4, 8), "U and V"},
      {"Frame: a chroma pitch below a row", frame(FrameFormat::nv12, p, 4, 4, 8, p, 3), "pitch"},
      {"Frame: a chroma pitch that overflows", frame(FrameFormat::nv12, p, 4, 4, 8, p, huge), "pitch"},
      {"Frame: rgb with chroma", frame(FrameFormat::rgb, p, 4, 4, 12, p, 4), "second"},
      {"Frame: an unknown format", frame(static_cast<FrameFormat>(9), p, 4, 4, 16), "format number 9"},
      {"DeviceFrame: no data", [] { DeviceFrame(FrameFormat::rgb, nullptr, 4, 4, 12); }, "null"},
      {"to_string: an unknown format", [] { to_string(static_cast<FrameFormat>(-1)); }, "format number -1"},
      {"bytes_per_pixel: an unknown format", [] { bytes_per_pixel(static_cast<FrameFormat>(6)); },
       "number 6"},
      {"parse_frame_format: nothing", [] { parse_frame_format(""); }, "nv12"},
      {"parse_frame_format: another case", [] { parse_frame_format("RGB"); }, "RGB"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfFiltersAndClassifiers) {
  const auto parse = [](const char* text) { return [=] { parse_filter(text); }; };
  const auto fixed = [](const LinearFilter& f) { return [=] { fix(f); }; };
  HistogramRatio short_histogram{2, std::vector<float>(63, 0.5f)};
  HistogramRatio deep_histogram{9, {}}, flat_histogram{0, std::vector<float>(1, 0.5f)};
  HistogramRatio bad_share{1, std::vector<float>(8, 0.5f)};
  bad_share.share[3] = 1.5f;
  GaussianPair unknown_space, not_finite;
  unknown_space.space = static_cast<ColourSpace>(7);
  not_finite.skin.mean[1] = nan;
  ChrominanceEllipse endless;
  endless.edge = inf;
  const std::vector<LabelledPixel> few(7, {{1, 2, 3}, true});
  std::vector<LabelledPixel> one_class(100, {{1, 2, 3}, false}), one_colour = one_class;
  for (std::size_t i = 0; i < 50; ++i) one_colour[i].skin = true;
  const test::TemporaryDirectory directory;
  const auto save = [&](const Classifier& c) {
    return [c, file = directory / "classifier"] {
      try {
        save_classifier(file, c);
      } catch (...) {
        EXPECT_FALSE(std::filesystem::exists(file));
        EXPECT_FALSE(std::filesystem::exists(file.string() + ".table"));
        throw;
      }
    };
  };
  const Refusal refusals[] = {
      {"parse_filter: nothing", parse(""), "four finite numbers"},
      {"parse_filter: three numbers", parse("1,2,3"), "1,2,3"},
      {"parse_filter: five numbers", parse("1,2,3,4,5"), "1,2,3,4,5"},
      {"parse_filter: NaN", parse("nan,0,0,0"), "nan"},
      {"parse_filter: infinity", parse("1,2,3,inf"), "inf"},
      {"parse_filter: an overflow", parse("1e999,0,0,0"), "1e999"},
      {"fix: NaN", fixed({nan, 0, 0, 0}), "not finite"},
      {"fix: infinity", fixed({0, 0, 0, -inf}), "not finite"},
      {"fix: too steep", fixed({1e9, 0, 0, 0}), "too steep"},
      {"fix: an overflow", fixed({1e308, 1e308, 1e308, 0}), "too steep"},
      {"fix: unknown channels", [] { fix(filter, static_cast<Channels>(3)); }, "channels number 3"},
      {"weight: a histogram of 63 cells", [&] { weight(short_histogram, {}); }, "64 cells"},
      {"weight: a histogram of 9 bits", [&] { weight(deep_histogram, {}); }, "not 9"},
      {"weight: a histogram of 0 bits", [&] { weight(flat_histogram, {}); }, "not 0"},
      {"weight: an unknown space", [&] { weight(unknown_space, {}); }, "space number 7"},
      {"evaluate: a histogram of 63 cells", [&] { evaluate(short_histogram, {}); }, "64 cells"},
      {"evaluate: an unknown space", [&] { evaluate(unknown_space, {}); }, "space number 7"},
      {"name_of: an unknown space", [&] { name_of(unknown_space); }, "space number 7"},
      {"WeightTable: a histogram of 63 cells", [&] { WeightTable<float> t(Classifier{short_histogram}, 1); },
       "64"},
      {"WeightTable: too few weights", [] { WeightTable<float> t(std::vector<float>(3)); }, "there are 3"},
      {"train_classifier: an unknown name", [&] { train_classifier("svm", few); }, "svm"},
      {"train_classifier: too few pixels", [&] { train_classifier("linear", few); }, "7 pixels of skin"},
      {"train_classifier: no pixels", [] { train_classifier("ellipse", {}); }, "0 pixels of skin"},
      {"train_classifier: one class", [&] { train_classifier("histogram", one_class); }, "0 pixels of skin"},
      {"train_classifier: one colour", [&] { train_classifier("linear", one_colour); }, "same colour"},
      {"save_classifier: NaN", save(LinearFilter{nan, 0, 0, 0}), "not finite"},
      {"save_classifier: a mean of NaN", save(not_finite), "not finite"},
      {"save_classifier: an edge at infinity", save(endless), "not finite"},
      {"save_classifier: a share above 1", save(bad_share), "1.5"},
      {"save_classifier: a histogram of 63 cells", save(short_histogram), "64 cells"},
      {"save_classifier: an unknown space", save(unknown_space), "space number 7"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfMomentsAndHeads) {
  const Frame frame = rgb_frame();
  const LinearFilter bad{nan, 0, 0, 0};
  const auto region = [=](const PixelBox& r) { return [=] { moments_cpu(frame, r, filter, 1); }; };
  const auto batch = [=](std::size_t frames, std::size_t results, const LinearFilter& f) {
    return [=] {
      const std::vector<Frame> all(frames, frame);
      const Moments pattern{1, 2, 3, 4, 5, 6};
      std::vector<Moments> moments(results, pattern);
      try {
        moments_batch_cpu(all, f, moments, 2);
      } catch (...) {
        for (const Moments& m : moments) EXPECT_EQ(m, pattern);
        throw;
      }
    };
  };
  const Moments some{1, 0, 0, 0, 0, 0};
  const Refusal refusals[] = {
      {"moments_cpu: a region left of the frame", region({-1, 0, 4, 4}), "(-1, 0)"},
      {"moments_cpu: a region above the frame", region({0, -1, 4, 4}), "(0, -1)"},
      {"moments_cpu: a region too wide", region({1, 0, 64, 4}), "64 x 4"},
      {"moments_cpu: a region too high", region({0, 0, 4, 49}), "4 x 49"},
      {"moments_cpu: a negative width", region({0, 0, -4, 4}), "-4 x 4"},
      {"moments_cpu: a region that overflows", region({huge_int, huge_int, huge_int, huge_int}), "outside"},
      {"moments_cpu: NaN", [=] { moments_cpu(frame, frame.whole(), bad); }, "not finite"},
      {"locate_cpu: NaN", [=] { locate_cpu(frame, bad); }, "not finite"},
      {"moments_batch_cpu: fewer results", batch(3, 2, filter), "3 frames"},
      {"moments_batch_cpu: more results", batch(1, 2, filter), "1 frames"},
      {"moments_batch_cpu: no frames, a result", batch(0, 1, filter), "0 frames"},
      {"moments_batch_cpu: NaN", batch(9, 9, bad), "not finite"},
      {"head_of: no columns", [=] { head_of(some, 0, 48); }, "0 x 48"},
      {"head_of: negative rows", [=] { head_of(some, 64, -1); }, "64 x -1"},
      {"head_of, floats: no rows",
       [] {
         head_of(FloatMoments{1, 0, 0}, 64, 0);
       },
       "64 x 0"},
      {"moments_fixed: NaN", [=] { moments_fixed({}, bad); }, "not finite"},
      {"parse_variant: nothing", [] { parse_variant(""); }, "gpu8"},
      {"to_string: an unknown variant", [] { to_string(static_cast<Variant>(99)); }, "variant number 99"},
      {"needs_gpu: an unknown variant", [] { needs_gpu(static_cast<Variant>(-1)); }, "variant number -1"},
      {"needs_table: an unknown variant", [] { needs_table(static_cast<Variant>(18)); }, "variant number 18"},
      {"JointVariant: a negative width", [] { JointVariant(filter, -1, 48); }, "-1 x 48"},
      {"JointVariant: no rows", [] { JointVariant(filter, 64, 0); }, "64 x 0"},
      {"JointVariant: too large", [] { JointVariant(filter, huge_int, huge_int); }, "2147483647"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfCalibrationAndTheSyntheticScene) {
  const auto scene = [](auto set) {
    return [=] {
      SyntheticOptions options;
      options.width = options.height = 64;
      set(options);
      SyntheticScene{options};
    };
  };
  SyntheticOptions small;
  small.width = small.height = 64;
  small.frames = 2;
  const SyntheticScene painted(small);
  const auto render = [&](int frame, int width, int height) {
    return [=] {
      std::vector<Rgb8> pixels(static_cast<std::size_t>(width * height), Rgb8{1, 2, 3});
      try {
        painted.render(frame, {pixels.data(), width, height});
      } catch (...) {
        for (const Rgb8& c : pixels) EXPECT_EQ(c, (Rgb8{1, 2, 3}));
        throw;
      }
    };
  };
  const Refusal refusals[] = {
      {"calibrate: no frames", [] { calibrate({}); }, "without a frame"},
      {"to_string: an unknown calibration status", [] { to_string(static_cast<CalibrationStatus>(3)); },
       "number 3"},
      {"CalibrationError: an unknown status", [] { CalibrationError(static_cast<CalibrationStatus>(-1)); },
       "-1"},
      {"SyntheticScene: too narrow", scene([](auto& o) { o.width = 63; }), "63 x 64"},
      {"SyntheticScene: a negative height", scene([](auto& o) { o.height = -64; }), "64 x -64"},
      {"SyntheticScene: too large", scene([](auto& o) { o.width = huge_int; }), "2147483647"},
      {"SyntheticScene: no frames", scene([](auto& o) { o.frames = 0; }), "not 0"},
      {"SyntheticScene: noise of NaN", scene([](auto& o) { o.noise = nan; }), "nan"},
      {"SyntheticScene: negative noise", scene([](auto& o) { o.noise = -1; }), "not -1"},
      {"SyntheticScene: noise at infinity", scene([](auto& o) { o.noise = inf; }), "inf"},
      {"truth: a frame before the first", [&] { static_cast<void>(painted.truth(-1)); }, "no frame -1"},
      {"truth: a frame after the last", [&] { static_cast<void>(painted.truth(2)); }, "no frame 2"},
      {"render: a frame after the last", render(2, 64, 64), "no frame 2"},
      {"render: an image of another size", render(0, 64, 32), "64 x 32"},
      {"render: no image", render(0, 0, 0), "0 x 0"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfSmoothingPerspectiveAndBalancing) {
  const Camera camera{640, 480};
  const auto euro = [](const OneEuroOptions& o) { return [=] { OneEuro{o}; }; };
  const auto smooth = [](double value, double seconds) {
    return [=] {
      OneEuro smoother;
      smoother.filter(1, 1);
      smoother.filter(value, seconds);
    };
  };
  const auto frustum = [](const Eye& eye, double w, double h, double n, double f) {
    return [=] { off_axis_frustum(eye, w, h, n, f); };
  };
  const auto matrix = [](const Frustum& f) { return [=] { projection_matrix(f); }; };
  const auto eye = [](double x, double y, double z, const Camera& c) { return [=] { eye_of(x, y, z, c); }; };
  const Refusal refusals[] = {
      {"OneEuro: a cut-off of 0", euro({0, 0, 1}), "min_cutoff_hz"},
      {"OneEuro: a cut-off of NaN", euro({nan, 0, 1}), "min_cutoff_hz"},
      {"OneEuro: a cut-off at infinity", euro({inf, 0, 1}), "min_cutoff_hz"},
      {"OneEuro: a negative beta", euro({1, -1, 1}), "beta"},
      {"OneEuro: a beta of NaN", euro({1, nan, 1}), "beta"},
      {"OneEuro: a speed's cut-off below 0", euro({1, 0, -1}), "speed_cutoff_hz"},
      {"OneEuro: a speed's cut-off at infinity", euro({1, 0, inf}), "speed_cutoff_hz"},
      {"filter: a value of NaN", smooth(nan, 1), "nan"},
      {"filter: a value at infinity", smooth(-inf, 1), "inf"},
      {"filter: no time", smooth(1, 0), "not 0"},
      {"filter: a time of NaN", smooth(1, nan), "nan"},
      {"filter: an endless time", smooth(1, inf), "inf"},
      {"off_axis_frustum: a screen of no width", frustum({0, 0, 1}, 0, 1, 1, 2), "screen"},
      {"off_axis_frustum: a screen of NaN", frustum({0, 0, 1}, 1, nan, 1, 2), "screen"},
      {"off_axis_frustum: an eye behind the screen", frustum({0, 0, -1}, 1, 1, 1, 2), "eye"},
      {"off_axis_frustum: an eye at infinity", frustum({inf, 0, 1}, 1, 1, 1, 2), "eye"},
      {"off_axis_frustum: near of NaN", frustum({0, 0, 1}, 1, 1, nan, 2), "near"},
      {"off_axis_frustum: far before near", frustum({0, 0, 1}, 1, 1, 2, 1), "near"},
      {"off_axis_frustum: far at infinity", frustum({0, 0, 1}, 1, 1, 1, inf), "far"},
      {"projection_matrix: no width", matrix({1, 1, 0, 1, 1, 2}), "left < right"},
      {"projection_matrix: NaN", matrix({nan, 1, 0, 1, 1, 2}), "left < right"},
      {"projection_matrix: far at infinity", matrix({-1, 1, -1, 1, 1, inf}), "frustum"},
      {"projection_matrix: an overflow", matrix({-1, 1, -1, 1, 1e300, 1e308}), "frustum"},
      {"eye_of: a position of NaN", eye(nan, 0, 1, camera), "position"},
      {"eye_of: a position at infinity", eye(0, inf, 1, camera), "position"},
      {"eye_of: no distance", eye(0, 0, 0, camera), "distance"},
      {"eye_of: a distance of NaN", eye(0, 0, nan, camera), "distance"},
      {"eye_of: a frame of no width", eye(0, 0, 1, {0, 480}), "0 x 480"},
      {"eye_of: a negative height", eye(0, 0, 1, {640, -1}), "640 x -1"},
      {"eye_of: an angle of NaN", eye(0, 0, 1, {640, 480, nan}), "angle of view"},
      {"eye_of: a camera at infinity", eye(0, 0, 1, {640, 480, 1, inf}), "camera"},
      {"LoadBalancer: negative rows", [] { LoadBalancer{-1}; }, "-1 rows"},
      {"LoadBalancer: rows that overflow", [] { LoadBalancer{huge}; }, "rows"},
      {"report: a negative share", [] { LoadBalancer(9).report(-1, 1, 1); }, "-1 rows"},
      {"report: more than all rows", [] { LoadBalancer(9).report(10, 1, 1); }, "10 rows"},
      {"balanced_share: negative rows", [] { balanced_share({}, {}, -1); }, "-1 rows"},
  };
  expect_refusals(refusals);
}

}  // namespace
}  // namespace triptych::skin_tracker
