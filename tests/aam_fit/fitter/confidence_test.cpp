// Fit::confidence: its parts by themselves, and what Fitter and FaceTracker make of it.
#include <triptych/aam_fit/face_tracker.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "aam_fit/fitter/made_up_world.hpp"
#include "fitter/confidence.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::displaced;
using test::World;

constexpr double infinity = std::numeric_limits<double>::infinity();
const Calibration calibration{0.8, 0.2};

World make_world() { return test::make_world({}, 4, 11); }

// Another picture of the kind that the model was made of.
Image<Grey8> other(std::uint64_t seed) {
  return test::frame_of(test::detail::aam_image(320, 260, 1, 110, seed));
}

TEST(Confidence, CorrelationFollowsFromTheError) {
  Level level;
  for (const Normalisation by : {Normalisation::projection, Normalisation::length, Normalisation::floored}) {
    level.normalisation = by;
    EXPECT_EQ(correlation_of(level, 2, 0), 1);
    EXPECT_EQ(correlation_of(level, 2, -1e-9), 1);  // by rounding
    double before = 1;
    for (double correlation = 0.95; correlation > 0.01; correlation -= 0.05) {
      const double found = correlation_of(level, 2, squared_error_at(level, 2, correlation));
      EXPECT_NEAR(found, correlation, 1e-12);
      EXPECT_LT(found, before);
      before = found;
    }
    for (const double error : {infinity, std::numeric_limits<double>::quiet_NaN(), 1e300})
      EXPECT_GE(correlation_of(level, 2, error), -1);
    EXPECT_EQ(correlation_of(level, 0, 1), -1);
  }
}

TEST(Confidence, DeviationIsTheParametersInTheirSpread) {
  Level level;
  level.modes = 3;
  level.sigma = std::vector<float>{2, 0, 1};  // one does not vary
  EXPECT_DOUBLE_EQ(deviation_of(level, std::vector<float>{2, 99, 1, 7}), 1);
  EXPECT_DOUBLE_EQ(deviation_of(level, std::vector<float>{0, 0, 1}), std::sqrt(0.5));
  EXPECT_EQ(deviation_of(level, std::vector<float>{2000, 0, 0}), 3);
  EXPECT_EQ(deviation_of(level, std::vector<float>{NAN, 0, 0}), 3);
  EXPECT_EQ(deviation_of(level, std::vector<float>{}), 1);
}

TEST(Confidence, RisesWithTheCorrelationAndFallsWithTheDeviation) {
  EXPECT_GT(confidence_of(calibration, 0.8, 0.8), 0.99);
  EXPECT_LT(confidence_of(calibration, 0.2, 1.3), 0.01);
  double before = -1;
  for (double correlation = -1; correlation <= 1; correlation += 0.05) {
    const double confidence = confidence_of(calibration, correlation, 1);
    EXPECT_GE(confidence, before);
    EXPECT_TRUE(confidence >= 0 && confidence <= 1);
    EXPECT_GE(confidence, confidence_of(calibration, correlation, 2));
    before = confidence;
  }
  // A model that was not calibrated is taken for one of the usual kind.
  EXPECT_FALSE(Calibration{}.known());
  EXPECT_GT(confidence_of({}, 0.8, 0.8), 0.99);
  EXPECT_LT(confidence_of({}, 0.1, 1.3), 0.01);
  for (const Calibration odd : {Calibration{1, 1}, Calibration{-1, 1}, Calibration{5e-324, 0}})
    for (const double correlation : {-1.0, 0.0, 1.0})
      EXPECT_TRUE(std::isfinite(confidence_of(odd, correlation, 3)));
}

TEST(Confidence, DecidesWhatIsFound) {
  const World world = make_world();
  const Face face{world.frame.view(), displaced(world.truth, 0.03, 0.03, 1)};
  const Image<Grey8> nothing = other(99);
  Fitter fitter(world.model, {}, Device::cpu(1)), any(world.model, {.min_confidence = 0}, Device::cpu(1));
  const Fit good = fitter.step(face);
  EXPECT_TRUE(good.found());
  EXPECT_GT(good.confidence, 0.99);
  EXPECT_EQ(reason(good), "");
  EXPECT_EQ(good.landmarks, any.step(face).landmarks);

  const Fit bad = fitter.step({nothing.view(), world.truth}), taken = any.step({nothing.view(), world.truth});
  ASSERT_FALSE(is_lost(taken.status));  // a fit was made
  EXPECT_EQ(to_string(bad.status), "lost_no_face");
  EXPECT_FALSE(bad.found());
  EXPECT_LT(bad.confidence, 0.1);
  EXPECT_EQ(bad.confidence, taken.confidence);
  EXPECT_EQ(bad.landmarks, taken.landmarks);
  EXPECT_NE(reason(bad).find("does not look like a face"), std::string::npos) << reason(bad);

  // Right at the threshold it is found, above it no more.
  const double confidence = good.confidence;
  EXPECT_TRUE(Fitter(world.model, {.min_confidence = confidence}, Device::cpu(1)).step(face).found());
  EXPECT_FALSE(Fitter(world.model, {.min_confidence = std::nextafter(confidence, 2)}, Device::cpu(1))
                   .step(face)
                   .found());
  for (const double odd : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_ERROR(Fitter(world.model, {.min_confidence = odd}, Device::cpu(1)), InvalidArgument,
                 "min_confidence");
}

TEST(Confidence, IsZeroWhereTheFitIsLost) {
  const World world = make_world();
  Fitter fitter(world.model, {}, Device::cpu(1));
  const Image<Grey8> flat(320, 260, std::vector<Grey8>(std::size_t{320} * 260, Grey8{80}));
  const Fit fit = fitter.step({flat.view(), world.truth});
  EXPECT_EQ(to_string(fit.status), "lost_contrast");
  EXPECT_EQ(fit.confidence, 0);
}

TEST(Confidence, EveryStatusThatIsNotFoundHasAReason) {
  for (int i = 0; i <= static_cast<int>(FitStatus::lost_no_face); ++i) {
    Fit fit;
    fit.status = static_cast<FitStatus>(i);
    EXPECT_EQ(reason(fit).empty(), fit.found()) << to_string(fit.status);
  }
  for (int i = 0; i <= static_cast<int>(TrackStatus::no_start); ++i) {
    TrackedFace face;
    face.status = static_cast<TrackStatus>(i);
    EXPECT_EQ(reason(face).empty(), face.found()) << to_string(face.status);
  }
  Fit small;
  small.status = FitStatus::lost_no_face;
  small.landmarks = {{0, 0}, {9, 0}, {0, 9}};
  EXPECT_NE(reason(small).find("too small"), std::string::npos);
}

TEST(Confidence, LosesATrackedFaceUnlessAnErrorDecides) {
  const World world = make_world();
  const Image<Grey8> nothing = other(99);
  const Box box = bounds(world.truth);
  FaceTracker tracker(world.model, {}, Device::cpu(1));
  const TrackedFace first = tracker.step(world.frame.view(), box), second = tracker.step(nothing.view());
  EXPECT_TRUE(first.found());
  EXPECT_EQ(first.confidence, first.fit.confidence);
  EXPECT_GT(first.confidence, 0.99);
  EXPECT_EQ(reason(first), "");
  EXPECT_EQ(second.status, TrackStatus::lost);
  EXPECT_LT(second.confidence, 0.1);
  EXPECT_FALSE(reason(second).empty());
  FaceTracker by_error(world.model, {.lost_error = infinity}, Device::cpu(1));
  EXPECT_TRUE(by_error.step(nothing.view(), box).found());
}

}  // namespace
}  // namespace triptych::aam_fit
