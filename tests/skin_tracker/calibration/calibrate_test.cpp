#include <triptych/core/error.hpp>
#include <triptych/core/image_view.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/calibrate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

bool inside(const Box& oval, int x, int y) {
  const double u = (x + 0.5 - oval.x - oval.width / 2) / (oval.width / 2);
  const double v = (y + 0.5 - oval.y - oval.height / 2) / (oval.height / 2);
  return u * u + v * v <= 1;
}

class Picture {
 public:
  Picture(int width, int height, Rgb8 colour)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), colour) {}

  Rgb8& at(int x, int y) { return pixels_[index(x, y)]; }
  Rgb8 at(int x, int y) const { return pixels_[index(x, y)]; }
  void fill(const Box& oval, Rgb8 colour) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        if (inside(oval, x, y)) at(x, y) = colour;
      }
    }
  }
  void add_noise(float deviation, std::uint64_t seed) {
    PhiloxStream random(seed, 0);
    const auto shaken = [&](std::uint8_t v) {
      const float value = std::round(static_cast<float>(v) + deviation * random.next_normal_pair().first);
      return static_cast<std::uint8_t>(std::clamp(value, 0.0f, 255.0f));
    };
    for (Rgb8& p : pixels_) p = {shaken(p.r), shaken(p.g), shaken(p.b)};
  }

  int width() const { return width_; }
  int height() const { return height_; }
  Frame frame() const { return ImageView<const Rgb8>(pixels_.data(), width_, height_); }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<Rgb8> pixels_;
};

Calibration calibrate_one(const Frame& frame, const Box& face, int threads = 1) {
  const MarkedFrame marked{frame, face};
  return calibrate(std::span(&marked, 1), threads);
}

// Why there is no calibration; nothing when there is one.
std::optional<CalibrationStatus> failure(const Frame& frame, const Box& face) {
  try {
    calibrate_one(frame, face);
    return std::nullopt;
  } catch (const CalibrationError& error) {
    EXPECT_EQ(error.what(), to_string(error.status()));
    return error.status();
  }
}

constexpr Rgb8 skin{200, 145, 125}, wall{120, 140, 150}, hair{40, 30, 25};
constexpr Box face{50, 30, 60, 80};

double weight_at(const Calibration& c, Rgb8 colour) { return c.filter.weight(colour.r, colour.g, colour.b); }

TEST(Calibrate, SeparatesTwoColours) {
  struct Case {
    Rgb8 inside, outside;
  };
  for (const Case& k : {Case{skin, wall}, Case{wall, skin}, Case{{255, 255, 255}, {0, 0, 0}},
                        Case{{90, 60, 50}, {200, 170, 160}}, Case{{10, 200, 10}, {200, 10, 10}},
                        Case{{128, 128, 160}, {128, 128, 128}}}) {
    Picture picture(200, 150, k.outside);
    picture.fill(face, k.inside);
    const Calibration c = calibrate_one(picture.frame(), face);
    EXPECT_DOUBLE_EQ(weight_at(c, k.inside), 1);
    EXPECT_DOUBLE_EQ(weight_at(c, k.outside), 0);
    EXPECT_DOUBLE_EQ(c.face_weight, 1);
    EXPECT_DOUBLE_EQ(c.background_weight, 0);
    // the oval's area, to the pixels on its edge
    EXPECT_NEAR(c.area, 3.141592653589793 / 4 * 60 * 80 / (200 * 150), 280.0 / (200 * 150));
  }
}

TEST(Calibrate, ReportsTheMeanWeightsOfThePixels) {
  Picture picture(200, 150, wall);
  picture.fill(face, skin);
  picture.add_noise(25, 3);
  const Calibration c = calibrate_one(picture.frame(), face);
  std::array<double, 2> sum{}, count{};
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const std::size_t where = inside(face, x, y) ? 1 : 0;
      sum[where] += weight_at(c, picture.at(x, y));
      ++count[where];
    }
  }
  // a cell of 8 grey levels counts with its mean colour: where the ramp bends inside it, a part of the weight
  EXPECT_NEAR(c.face_weight, sum[1] / count[1], 0.03);
  EXPECT_NEAR(c.background_weight, sum[0] / count[0], 0.03);
  EXPECT_GT(c.face_weight, 0.85);
  EXPECT_LT(c.background_weight, 0.1);
  EXPECT_DOUBLE_EQ(c.area, c.face_weight * count[1] / (count[0] + count[1]));
}

TEST(Calibrate, BearsHairAndCornersInsideAndHandsOutside) {
  Picture picture(320, 240, wall);
  for (int y = 0; y < 240; ++y) {
    for (int x = 200; x < 320; ++x) picture.at(x, y) = {180, 180, 170};
  }
  picture.fill({45, 20, 70, 95}, hair);
  picture.fill({54, 42, 52, 66}, skin);
  picture.fill({62, 60, 10, 6}, hair);
  picture.fill({88, 60, 10, 6}, hair);
  picture.fill({240, 180, 30, 40}, skin);  // a hand
  picture.fill({70, 105, 20, 40}, skin);   // the neck
  picture.fill({45, 140, 90, 100}, hair);  // a dark coat
  picture.add_noise(6, 4);
  const Calibration c = calibrate_one(picture.frame(), face);
  EXPECT_GT(weight_at(c, skin), 0.95);
  EXPECT_LT(weight_at(c, wall), 0.05);
  EXPECT_LT(weight_at(c, {180, 180, 170}), 0.05);
  EXPECT_LT(weight_at(c, hair), 0.5);
}

TEST(Calibrate, BearsAChangeOfLight) {
  Picture picture(200, 150, wall);
  picture.fill(face, skin);
  picture.add_noise(3, 5);
  const Calibration c = calibrate_one(picture.frame(), face);
  for (const double gain : {0.8, 0.9, 1.1, 1.25}) {
    EXPECT_GT(c.filter.weight(gain * skin.r, gain * skin.g, gain * skin.b), 0.9) << gain;
    EXPECT_LT(c.filter.weight(gain * wall.r, gain * wall.g, gain * wall.b), 0.1) << gain;
  }
}

// Brighter and darker walls of the face's hue: a plane lets one of them in, the colours for a gate neither.
TEST(Calibrate, ItsColoursTellApartWhatNoPlaneDoes) {
  constexpr Rgb8 dark{80, 56, 44}, between{160, 112, 88}, bright{250, 175, 138};
  Picture picture(240, 160, dark);
  for (int y = 0; y < 160; ++y) {
    for (int x = 120; x < 240; ++x) picture.at(x, y) = bright;
  }
  picture.fill(face, between);
  picture.add_noise(3, 5);
  const Calibration c = calibrate_one(picture.frame(), face);
  EXPECT_GT(c.background_weight, 0.3);
  const Classifier colours(c.colours);
  EXPECT_GT(weight(colours, between), 0.9f);
  EXPECT_LT(weight(colours, dark), 0.1f);
  EXPECT_LT(weight(colours, bright), 0.1f);
  // and in another light
  EXPECT_GT(weight(colours, {200, 140, 110}), 0.5f);
  EXPECT_GT(weight(colours, {130, 91, 71}), 0.5f);
}

TEST(Calibrate, ItsColoursAreShares) {
  Picture picture(160, 140, wall);
  picture.fill(face, skin);
  picture.add_noise(12, 6);
  const Calibration c = calibrate_one(picture.frame(), face);
  ASSERT_EQ(c.colours.share.size(), std::size_t{1} << (3 * c.colours.bits));
  for (const float share : c.colours.share) {
    ASSERT_GE(share, 0.0f);
    ASSERT_LE(share, 1.0f);
  }
}

TEST(Calibrate, GivesUpColoursThatCoincide) {
  for (const float noise : {0.0f, 2.0f, 10.0f, 40.0f}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      TRIPTYCH_TRACE_SEED(seed);
      Picture picture(200, 150, skin);
      picture.add_noise(noise, seed);
      EXPECT_EQ(failure(picture.frame(), face), CalibrationStatus::not_separable) << noise;
    }
  }
}

TEST(Calibrate, WantsPixelsOnBothSides) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  Picture picture(100, 80, wall);
  picture.fill({30, 20, 40, 40}, skin);
  for (const Box& oval :
       {Box{-80, 10, 60, 60}, Box{200, 10, 60, 60}, Box{10, 900, 60, 60}, Box{30, 20, 0, 40},
        Box{30, 20, 40, -40}, Box{30, 20, 5, 5}, Box{nan, 20, 40, 40}, Box{30, nan, 40, 40},
        Box{30, 20, nan, 40}, Box{-inf, 20, inf, 40}, Box{30, 20, 40, inf}, Box{}}) {
    EXPECT_EQ(failure(picture.frame(), oval), CalibrationStatus::too_few_face_pixels)
        << oval.x << ' ' << oval.width;
  }
  EXPECT_EQ(failure(picture.frame(), {-50, -50, 200, 200}), CalibrationStatus::too_few_background_pixels);
  EXPECT_EQ(failure(Frame(), face), CalibrationStatus::too_few_face_pixels);
  EXPECT_EQ(failure(picture.frame(), {30, 20, 40, 40}), std::nullopt);
  EXPECT_ERROR(calibrate({}), InvalidArgument, "without a frame");
}

TEST(Calibrate, TakesAnOvalAsLargeAsTheFrame) {
  Picture picture(100, 80, wall);
  picture.fill({0, 0, 100, 80}, skin);
  const Calibration c = calibrate_one(picture.frame(), {0, 0, 100, 80});  // the corners are outside
  EXPECT_DOUBLE_EQ(weight_at(c, skin), 1);
  EXPECT_DOUBLE_EQ(weight_at(c, wall), 0);
}

TEST(Calibrate, TakesAnOvalThatIsPartlyOutside) {
  Picture picture(100, 80, wall);
  picture.fill({-20, -15, 60, 60}, skin);
  const Calibration c = calibrate_one(picture.frame(), {-20, -15, 60, 60});
  EXPECT_DOUBLE_EQ(c.face_weight, 1);
}

TEST(Calibrate, LearnsFromSeveralFrames) {
  // each frame alone could be told by one channel; together only skin against both walls serves
  const Rgb8 cold{120, 140, 190}, warm{200, 190, 120};
  Picture first(160, 120, cold), second(320, 200, warm);
  const Box small{40, 20, 40, 60}, large{150, 40, 100, 120};
  first.fill(small, skin);
  second.fill(large, skin);
  first.add_noise(4, 1);
  second.add_noise(4, 2);
  const std::array<MarkedFrame, 2> both{{{first.frame(), small}, {second.frame(), large}}};
  const Calibration c = calibrate(both, 2);
  EXPECT_GT(weight_at(c, skin), 0.95);
  EXPECT_LT(weight_at(c, cold), 0.05);
  EXPECT_LT(weight_at(c, warm), 0.05);

  const std::array<MarkedFrame, 3> with_useless{
      {{first.frame(), small}, {second.frame(), large}, {first.frame(), {}}}};
  EXPECT_EQ(calibrate(with_useless, 1).filter, c.filter);
}

TEST(Calibrate, DoesNotDependOnTheThreads) {
  Picture picture(333, 401, wall);
  picture.fill(face, skin);
  picture.add_noise(20, 6);
  const Calibration one = calibrate_one(picture.frame(), face, 1);
  for (const int threads : {0, 2, 3, 16}) {
    const Calibration c = calibrate_one(picture.frame(), face, threads);
    EXPECT_EQ(c.filter, one.filter);
    EXPECT_EQ(c.face_weight, one.face_weight);
    EXPECT_EQ(c.area, one.area);
  }
}

// The picture in another format; rows lie some bytes farther apart than they must.
struct Converted {
  std::vector<std::uint8_t> bytes, chroma;
  Frame frame;
};

Converted convert(const Picture& picture, FrameFormat format) {
  const int w = picture.width(), h = picture.height();
  const std::int64_t pitch = std::int64_t{w} * bytes_per_pixel(format) + 7, chroma_pitch = w + 5;
  Converted out;
  out.bytes.assign(static_cast<std::size_t>(pitch * h), 0xEE);
  if (format == FrameFormat::nv12) out.chroma.assign(static_cast<std::size_t>(chroma_pitch * (h / 2)), 0xEE);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const Rgb8 c = picture.at(x, y);
      std::uint8_t* row = out.bytes.data() + y * pitch;
      const double luma = 0.299 * c.r + 0.587 * c.g + 0.114 * c.b;
      const auto byte = [](double v) { return static_cast<std::uint8_t>(std::lround(v)); };
      const std::uint8_t luma_byte = byte(16 + luma * 219 / 255);
      const std::uint8_t u = byte(128 + (c.b - luma) / 1.772 * 224 / 255);
      const std::uint8_t v = byte(128 + (c.r - luma) / 1.402 * 224 / 255);
      const bool blue_first = format == FrameFormat::bgr || format == FrameFormat::bgra;
      if (format == FrameFormat::nv12) {
        row[x] = luma_byte;
        std::uint8_t* pair = out.chroma.data() + y / 2 * chroma_pitch + (x & ~1);
        pair[0] = u;
        pair[1] = v;
      } else if (format == FrameFormat::yuyv) {
        row[2 * x] = luma_byte;
        row[4 * (x / 2) + 1] = u;
        row[4 * (x / 2) + 3] = v;
      } else {
        std::uint8_t* p = row + x * bytes_per_pixel(format);
        p[blue_first ? 2 : 0] = c.r;
        p[1] = c.g;
        p[blue_first ? 0 : 2] = c.b;
      }
    }
  }
  out.frame = Frame(format, out.bytes.data(), w, h, pitch, out.chroma.empty() ? nullptr : out.chroma.data(),
                    out.chroma.empty() ? 0 : chroma_pitch);
  return out;
}

TEST(Calibrate, GivesNearlyTheSameFilterForAllFormats) {
  Picture picture(200, 150, wall);
  picture.fill({0, 0, 60, 60}, {90, 80, 70});
  picture.fill(face, skin);
  picture.add_noise(2, 8);
  const Calibration rgb = calibrate_one(picture.frame(), face);
  for (const FrameFormat format :
       {FrameFormat::rgb, FrameFormat::bgr, FrameFormat::rgba, FrameFormat::bgra}) {
    EXPECT_EQ(calibrate_one(convert(picture, format).frame, face).filter, rgb.filter) << to_string(format);
  }
  for (const FrameFormat format : {FrameFormat::nv12, FrameFormat::yuyv}) {
    const Calibration c = calibrate_one(convert(picture, format).frame, face);
    // shared chroma mixes the colours of neighbours: other means of cells, another place within the margin
    EXPECT_NEAR(c.face_weight, rgb.face_weight, 0.02) << to_string(format);
    EXPECT_NEAR(c.background_weight, rgb.background_weight, 0.02) << to_string(format);
    for (const Rgb8 colour : {skin, wall, Rgb8{90, 80, 70}}) {
      EXPECT_NEAR(weight_at(c, colour), weight_at(rgb, colour), 0.05) << to_string(format);
    }
  }
}

TEST(CalibrationStatus, EachHasASentenceThatSaysWhatToDo) {
  EXPECT_NE(to_string(CalibrationStatus::too_few_face_pixels).find("mark"), std::string::npos);
  EXPECT_NE(to_string(CalibrationStatus::too_few_background_pixels).find("mark"), std::string::npos);
  EXPECT_NE(to_string(CalibrationStatus::not_separable).find("light"), std::string::npos);
}

}  // namespace
}  // namespace triptych::skin_tracker
