#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/image_file.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "testing/data_dir.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr Intrinsics camera = {100, 200, 1, 0.5};

TEST(CloudFromDepth, ProjectsPixelsAndDropsGaps) {
  // A row is 4 pixels wide, of which 3 are the image.
  const std::vector<std::uint16_t> pixels = {1000, 0, 3000, 9, 500, 65535, 2000, 9};
  const ImageView<const std::uint16_t> image(pixels.data(), 3, 2, 8);
  DepthOptions options;
  options.farthest_m = 60;
  const Cloud cloud = cloud_from_depth(image, camera, options);
  ASSERT_EQ(cloud.points.size(), 4u);
  EXPECT_EQ(cloud.dropped, 2);
  EXPECT_EQ(cloud.points[0], (Vec3{-0.01f, 0.0025f, 1}));  // (0 - 1) / 100, -(0 - 0.5) / 200
  EXPECT_EQ(cloud.points[1], (Vec3{0.03f, 0.0075f, 3}));
  EXPECT_EQ(cloud.points[2], (Vec3{-0.005f, -0.00125f, 0.5f}));
  options.y = VerticalAxis::down;
  options.nearest_m = 0.6f;
  options.step = 2;
  const Cloud down = cloud_from_depth(image, camera, options);
  ASSERT_EQ(down.points.size(), 2u);
  EXPECT_EQ(down.points[0], (Vec3{-0.01f, -0.0025f, 1}));
}

TEST(CloudFromDepth, RefusesWhatMakesNoSense) {
  EXPECT_TRUE(cloud_from_depth({}, camera).points.empty());
  EXPECT_ERROR(cloud_from_depth({}, {0, 1, 0, 0}), InvalidArgument, "focal lengths");
  DepthOptions options;
  options.step = 0;
  EXPECT_ERROR(cloud_from_depth({}, camera, options), InvalidArgument, "step of 0");
}

TEST(Calibration, IsReadAsItStands) {
  const StereoCalibration calibration = parse_calibration(
      "cam0=[ 999.5 0 294.25 ; 0 999.5 252 ; 0 0 1 ]\r\n doffs= 32.5 \nbaseline=193\nisint=0\nwidth= 741\n",
      "c");
  EXPECT_EQ(calibration.left.fx, 999.5);
  EXPECT_EQ(calibration.left.cx, 294.25);
  EXPECT_EQ(calibration.left.cy, 252);
  EXPECT_EQ(calibration.offset_px, 32.5);
  EXPECT_DOUBLE_EQ(calibration.baseline_m, 0.193);
  EXPECT_EQ(calibration.width, 741);
  EXPECT_EQ(calibration.height, 0);
  EXPECT_EQ(
      parse_calibration("cam0=[9 0 1;0 9 2;0 0 1]\ncam1=[9 0 5;0 9 2;0 0 1]\nbaseline=1", "c").offset_px, 4);
}

TEST(Calibration, RefusesWhatIsMalformed) {
  EXPECT_ERROR(parse_calibration("", "c"), ParseError, "cam0");
  EXPECT_ERROR(parse_calibration("\nhello", "c"), ParseError, "c:2:1: expected key=value");
  EXPECT_ERROR(parse_calibration("cam0=[1 2 3]", "c"), ParseError, "3 numbers instead of 9");
  EXPECT_ERROR(parse_calibration("cam0=1 2 3", "c"), ParseError, "expected a matrix");
  EXPECT_ERROR(parse_calibration("cam0=[0 0 1;0 9 2;0 0 1]", "c"), ParseError, "above 0");
  EXPECT_ERROR(parse_calibration("cam0=[9 0 1;0 9 2;0 0 1]\nbaseline=-1", "c"), ParseError,
               "c:2:1: baseline");
  EXPECT_ERROR(parse_calibration("cam0=[9 0 1;0 9 2;0 0 1]\nbaseline=1", "c"), ParseError, "doffs or cam1");
}

TEST(CloudFromDisparity, FollowsTheFormula) {
  const StereoCalibration calibration = {{100, 100, 0, 0}, 10, 0.2, 0, 0};
  const std::vector<float> pixels = {10, 0, std::numeric_limits<float>::infinity(), std::nanf(""), -3, 30};
  const Cloud cloud = cloud_from_disparity({pixels.data(), 6, 1}, calibration);
  ASSERT_EQ(cloud.points.size(), 2u);
  EXPECT_EQ(cloud.dropped, 4);
  EXPECT_FLOAT_EQ(cloud.points[0].z, 1.0f);    // 0.2 * 100 / 20
  EXPECT_FLOAT_EQ(cloud.points[1].z, 0.5f);    // 0.2 * 100 / 40
  EXPECT_FLOAT_EQ(cloud.points[1].x, 0.025f);  // 5 / 100 * 0.5
  EXPECT_ERROR(cloud_from_disparity({}, {{100, 100, 0, 0}, 10, 0, 0, 0}), InvalidArgument, "baseline");
}

TEST(CloudFromDisparity, ReadsTheMotorcycle) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const StereoCalibration calibration = read_calibration(data / "stereo_middlebury" / "calib.txt");
  const Image<float> disparity = read_pfm(data / "stereo_middlebury" / "disp0GT.pfm");
  EXPECT_EQ(disparity.width, calibration.width);
  EXPECT_EQ(disparity.height, calibration.height);
  const Cloud cloud = cloud_from_disparity(disparity.view(), calibration);
  EXPECT_GT(cloud.points.size(), 250000u);
  EXPECT_GT(cloud.dropped, 1000);  // unknown disparities are infinite
  // Disparities from vmin 7 to vmax 65: from 193.001 * 999.421 / (7 + 32.778) to .../(65 + 32.778) mm.
  for (const Vec3& p : cloud.points) {
    ASSERT_GT(p.z, 1.9f);
    ASSERT_LT(p.z, 4.9f);
  }
}

TEST(Subsample, TakesOneOfEachRun) {
  std::vector<Vec3> points(1000);
  for (std::size_t i = 0; i < 1000; ++i) points[i].x = static_cast<float>(i);
  for (const std::int64_t count : {0, 1, 7, 333, 999, 1000, 2000}) {
    const std::vector<Vec3> chosen = subsample(points, count, 3);
    EXPECT_EQ(static_cast<std::int64_t>(chosen.size()), std::min<std::int64_t>(count, 1000));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto run = static_cast<double>(i) * 1000 / static_cast<double>(chosen.size());
      ASSERT_GE(chosen[i].x, std::floor(run));
      ASSERT_LE(chosen[i].x, run + 1000.0 / static_cast<double>(chosen.size()));
      ASSERT_GT(chosen[i].x, i > 0 ? chosen[i - 1].x : -1);
    }
    EXPECT_EQ(chosen, subsample(points, count, 3));
  }
  EXPECT_NE(subsample(points, 100, 3), subsample(points, 100, 4));
  EXPECT_ERROR(subsample(points, -1), InvalidArgument, "-1 points");
}

TEST(Depth, DropsPointsThatAreTooFar) {
  const std::vector<std::uint16_t> depth = {1000, 65535};
  const Intrinsics pinhole = {500, 500, 0, 0};
  const Cloud metres = cloud_from_depth({depth.data(), 2, 1}, pinhole, {.metres_per_unit = 1});
  EXPECT_EQ(metres.points.size(), 1u);  // at 1000 m
  EXPECT_EQ(metres.dropped, 1);
  EXPECT_EQ(metres.too_far, 1);
  const Cloud endless = cloud_from_depth({depth.data(), 2, 1}, pinhole, {.metres_per_unit = 1e308});
  EXPECT_TRUE(endless.points.empty());
  EXPECT_EQ(endless.dropped, 2);
  // The first pixel lies on the camera's axis, the second far aside.
  const Cloud aside = cloud_from_depth({depth.data(), 2, 1}, {1e-3, 500, 0, 0});
  EXPECT_EQ(aside.points.size(), 1u);
  EXPECT_EQ(aside.too_far, 1);
}

TEST(Disparity, OfADenormalNumberIsDropped) {
  const std::vector<float> disparity = {1e-40f, 100};
  const Cloud cloud = cloud_from_disparity({disparity.data(), 2, 1}, {{500, 500, 0, 0}, 0, 0.2});
  EXPECT_EQ(cloud.points.size(), 1u);
  EXPECT_EQ(cloud.too_far, 1);
}

TEST(Calibration, RefusesNumbersThatPutPointsAtInfinity) {
  const std::string tail = "\nbaseline=100\ndoffs=0\n";
  EXPECT_ERROR(parse_calibration("cam0=[1e-300 0 1; 0 500 1; 0 0 1]" + tail, "f"), ParseError, "focal");
  EXPECT_ERROR(parse_calibration("cam0=[500 0 1e300; 0 500 1; 0 0 1]" + tail, "f"), ParseError, "centre");
  EXPECT_ERROR(parse_calibration("cam0=[500 0 1; 0 500 1; 0 0 1]\nbaseline=1e300\ndoffs=0", "f"), ParseError,
               "baseline");
  EXPECT_ERROR(parse_calibration("cam0=[500 0 1; 0 500 1; 0 0 1]\nbaseline=1\ndoffs=-1e300", "f"), ParseError,
               "doffs");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
