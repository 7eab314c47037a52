// Trackers without a start box: what has the colour of skin and is no face is not found.
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gate/face_classifier.hpp"
#include "skin_tracker/tracker/canvas.hpp"

namespace triptych::skin_tracker {
namespace {

using namespace test_canvas;

TrackerOptions searching(bool gate) {
  TrackerOptions options;
  options.gate = gate;
  return options;
}

Tracker generic_tracker(bool gate) { return Tracker(generic_skin_filter, searching(gate), Device::cpu(1)); }

// The first frames of a synthetic video, which has a face.
class SyntheticVideo {
 public:
  static constexpr int width = 320, height = 180, count = 10;
  SyntheticVideo() {
    const SyntheticScene scene(small_scene(false));
    for (int i = 0; i < count; ++i) {
      pixels_.emplace_back(std::size_t{width} * height);
      scene.render(i, {pixels_.back().data(), width, height}, 1);
    }
  }
  Frame frame(int number) const {
    return {ImageView<const Rgb8>(pixels_[static_cast<std::size_t>(number)].data(), width, height)};
  }
  // Around the head that a tracker found.
  static PixelBox face_of(const TrackedHead& head) {
    const int half_width = static_cast<int>(2 * std::sqrt(head.raw.xx_px2)),
              half_height = static_cast<int>(2 * std::sqrt(head.raw.yy_px2));
    return {static_cast<int>(head.raw.x_px) - half_width, static_cast<int>(head.raw.y_px) - half_height,
            2 * half_width, 2 * half_height};
  }
  // The skin of the head in its box gets one colour: the outline stays, eyes and mouth go.
  void wipe_face(int number, const PixelBox& face) {
    std::vector<Rgb8>& pixels = pixels_[static_cast<std::size_t>(number)];
    const auto at = [](int x, int y) {
      return std::size_t{width} * static_cast<std::size_t>(y) + static_cast<std::size_t>(x);
    };
    const Rgb8 skin = pixels[at(face.x + face.width / 2, face.y + face.height / 2)];
    for (int y = 0; y < face.height; ++y) {
      for (int x = 0; x < face.width; ++x) {
        const double u = 2.0 * x / face.width - 1, v = 2.0 * y / face.height - 1;
        if (u * u + v * v < 0.75) pixels[at(face.x + x, face.y + y)] = skin;
      }
    }
  }

 private:
  std::vector<std::vector<Rgb8>> pixels_;
};

TEST(FaceCheck, ARectangleIsNoFaceAndTheReasonSaysSo) {
  Canvas canvas(320, 240);
  canvas.skin({130, 80, 48, 60});
  for (const bool gate : {false, true}) {
    Tracker tracker = tracker_of(searching(gate));
    const TrackedHead head = tracker.step(canvas.frame());
    EXPECT_EQ(head.status, HeadStatus::lost_unsure);
    EXPECT_NE(reason(head).find("face"), std::string::npos) << reason(head);
    EXPECT_LT(head.evidence.face.value(), min_face);
    EXPECT_TRUE(head.raw.found);
  }
}

TEST(FaceCheck, WithoutAFaceTheConfidenceIsBelowAHalf) {
  for (const HeadSource source : {HeadSource::whole_frame, HeadSource::search}) {
    HeadEvidence best{source, 1, 0.2, 1, 1, 1, 1000, true, std::nextafter(min_face, 0)};
    EXPECT_LT(confidence_of(best), 0.5);
    double last = 0;
    for (const double face : {-5.0, 0.0, 4.0, 8.0}) {
      best.face = face;
      EXPECT_GT(confidence_of(best), last);
      last = confidence_of(best);
    }
    EXPECT_GT(last, 0.9);
  }
}

TEST(FaceCheck, AFaceIsFoundWithoutABox) {
  const SyntheticVideo video;
  for (const bool gate : {false, true}) {
    Tracker tracker = generic_tracker(gate);
    for (int i = 0; i < 10; ++i) {
      const TrackedHead head = tracker.step(video.frame(i));
      EXPECT_TRUE(head.found()) << i << ' ' << gate << ' ' << reason(head);
      EXPECT_GE(head.evidence.face.value(), min_face);
    }
  }
}

// What a tracker knows of a face does not depend on how many frames are in flight.
TEST(FaceCheck, IsTheSameWithFramesInFlight) {
  const SyntheticVideo video;
  for (const bool gate : {false, true}) {
    Tracker one = generic_tracker(gate), many = generic_tracker(gate);
    for (int i = 0; i < 8; i += 2) {
      many.submit(video.frame(i));
      many.submit(video.frame(i + 1));
      for (int k = 0; k < 2; ++k) {
        const TrackedHead a = one.step(video.frame(i + k)), b = many.next();
        EXPECT_EQ(a.evidence, b.evidence) << i + k;
        EXPECT_EQ(a.confidence, b.confidence);
      }
    }
  }
}

// A face that comes into view is seen though a frame is always in flight.
TEST(FaceCheck, LooksAtFramesBehindOthersInFlight) {
  const SyntheticVideo video;
  const Canvas empty(SyntheticVideo::width, SyntheticVideo::height);
  Tracker tracker = generic_tracker(false);
  tracker.submit(empty.frame());
  for (int i = 0; i < 6; ++i) {
    tracker.submit(i < 3 ? empty.frame() : video.frame(i));
    EXPECT_EQ(tracker.next().found(), i > 3) << i;
  }
  EXPECT_TRUE(tracker.next().found());
}

TEST(FaceCheck, LooksOnlyWhereAFrameIsThereAndMatters) {
  const SyntheticVideo video;
  const Frame first = video.frame(0);
  const Head head = locate_cpu(first, generic_skin_filter);
  EXPECT_FALSE(tracked_head(head, 320, 180).evidence.face.has_value());
  TrackerOptions any;
  any.min_confidence = 0;
  Tracker finds_all(generic_skin_filter, any, Device::cpu(1));
  EXPECT_FALSE(finds_all.step(first).evidence.face.has_value());
  TrackerOptions started = searching(true);
  started.start = PixelBox{130, 40, 60, 80};
  Tracker follows(generic_skin_filter, started, Device::cpu(1));
  EXPECT_FALSE(follows.step(first).evidence.face.has_value());
}

// The skin of a whole frame jumps to something else: that is looked at in the frame after.
TEST(FaceCheck, AFaceCountsAsLongAsItsSkinStays) {
  const SyntheticVideo video;
  Tracker tracker = generic_tracker(false);
  EXPECT_TRUE(tracker.step(video.frame(0)).found());
  Canvas canvas(320, 180);
  canvas.skin({10, 10, 40, 52});
  tracker.step(canvas.frame());
  EXPECT_FALSE(tracker.step(canvas.frame()).found());
  tracker.step(video.frame(1));
  EXPECT_TRUE(tracker.step(video.frame(2)).found());
}

// A gate does not stay with something that has no face, nor does it wait for that to come back.
TEST(FaceCheck, AGateGivesUpWhatHasNoFace) {
  Canvas canvas(320, 180);
  canvas.skin({10, 10, 40, 52});
  Tracker tracker = generic_tracker(true);
  for (int i = 0; i < 12; ++i) EXPECT_FALSE(tracker.step(canvas.frame()).found());
  const SyntheticVideo video;
  bool found = false;
  for (int i = 0; i < 8; ++i) found = tracker.step(video.frame(i)).found();
  EXPECT_TRUE(found);
}

// After frames 0 to 5.
TrackedHead followed(Tracker& tracker, const SyntheticVideo& video) {
  TrackedHead head;
  for (int i = 0; i < 6; ++i) head = tracker.step(video.frame(i));
  return head;
}

// A head that was lost and is found again shows its face again: until then it may be something else.
TEST(FaceCheck, AGateLooksAgainAtAHeadThatWasLost) {
  SyntheticVideo video;
  Tracker tracker = generic_tracker(true);
  TrackedHead head = followed(tracker, video);
  ASSERT_TRUE(head.found());
  const Canvas empty(SyntheticVideo::width, SyntheticVideo::height);
  EXPECT_FALSE(tracker.step(empty.frame()).found());
  video.wipe_face(6, SyntheticVideo::face_of(head));
  head = tracker.step(video.frame(6));
  EXPECT_TRUE(head.raw.found);
  EXPECT_FALSE(head.found());
  EXPECT_LT(head.evidence.face.value(), min_face);
  bool found = false;
  for (int i = 0; i < 5; ++i) found = tracker.step(video.frame(i)).found();
  EXPECT_TRUE(found);
}

// So does a head that is followed and suddenly looks like something else.
TEST(FaceCheck, AGateLooksAgainAtWhatHasChanged) {
  SyntheticVideo video;
  Tracker tracker = generic_tracker(true);
  TrackedHead head = followed(tracker, video);
  ASSERT_TRUE(head.found());
  video.wipe_face(6, SyntheticVideo::face_of(head));
  head = tracker.step(video.frame(6));
  EXPECT_TRUE(head.raw.found);
  EXPECT_FALSE(head.found());
  EXPECT_LT(head.evidence.face.value(), min_face);
  EXPECT_TRUE(tracker.step(video.frame(7)).found());
}

// Rooms of rectangles, ovals and stripes, some of skin's colour, with noise.
class Room {
 public:
  static constexpr int width = 240, height = 180;

  explicit Room(std::uint32_t number) : number_(number), pixels_(std::size_t{width} * height) {
    const Rgb8 wall = colour(false);
    std::fill(pixels_.begin(), pixels_.end(), wall);
    const int count = 2 + static_cast<int>(12 * uniform());
    for (int i = 0; i < count; ++i) paint(colour(i < 3));
    for (Rgb8& p : pixels_) {
      const double noise = 12 * (uniform() + uniform() - 1);
      p = {byte(p.r + noise), byte(p.g + noise), byte(p.b + noise)};
    }
  }
  Frame frame() const { return {ImageView<const Rgb8>(pixels_.data(), width, height)}; }

 private:
  static std::uint8_t byte(double value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)); }
  double uniform() { return double{uniform_below_one(philox4x32({{number_, next_++, 0, 0}}, 11, 0)[0])}; }
  Rgb8 colour(bool skin) {
    if (!skin) return {byte(255 * uniform()), byte(255 * uniform()), byte(255 * uniform())};
    const double light = uniform();
    return {byte(70 + 175 * light), byte(45 + 160 * light), byte(35 + 145 * light)};
  }
  void paint(const Rgb8& colour) {
    const double x = width * uniform(), y = height * uniform(), kind = uniform();
    const double b = height * (0.04 + 0.35 * uniform()), a = b * (0.4 + 0.8 * uniform());
    for (int v = 0; v < height; ++v) {
      for (int u = 0; u < width; ++u) {
        const double dx = std::abs(u - x) / a, dy = std::abs(v - y) / b;
        const bool inside = kind < 0.5   ? dx * dx + dy * dy < 1
                            : kind < 0.8 ? dx < 1 && dy < 1
                                         : dx < 1 && dy < 1 && static_cast<int>(8 + 4 * dy) % 2 == 0;
        const int pixel = v * width + u;
        if (inside) pixels_[static_cast<std::size_t>(pixel)] = colour;
      }
    }
  }

  std::uint32_t number_, next_ = 0;
  std::vector<Rgb8> pixels_;
};

TEST(FaceCheck, RoomsWithoutAHeadAreSeldomFound) {
  constexpr int rooms = 1000;
  int by_search = 0, by_frame = 0, by_moments = 0;
  for (std::uint32_t i = 0; i < rooms; ++i) {
    const Room room(i);
    Tracker search = generic_tracker(true), whole = generic_tracker(false);
    by_search += search.step(room.frame()).found();
    by_frame += whole.step(room.frame()).found();
    by_moments +=
        tracked_head(locate_cpu(room.frame(), generic_skin_filter), Room::width, Room::height).found();
  }
  EXPECT_LE(by_search, rooms / 100);
  EXPECT_LE(by_frame, rooms / 100);
  EXPECT_GE(by_moments, rooms / 20);  // it is not that there is no skin
}

}  // namespace
}  // namespace triptych::skin_tracker
