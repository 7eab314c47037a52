// find_faces: two synthetic faces in one image, found by a model that has not seen them.
#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/aam_fit/train.hpp>
#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "fitter/face_search.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

const Model& model() {
  static const Model trained = [] {
    std::vector<Example> faces;
    faces.reserve(40);
    for (int i = 0; i < 40; ++i) faces.push_back(render_face(random_face(7, i), 256, 256));
    TrainOptions options;
    options.deformations = 0;  // 40 faces are enough here, and training is faster
    return train(faces, options);
  }();
  return trained;
}

// Images of one height side by side, and the landmarks of each.
struct Pair {
  Image<Grey8> image;
  std::vector<Shape> truth;
};
Pair side_by_side(const Example& a, const Example& b) {
  Pair pair{Image<Grey8>(a.image.width + b.image.width, a.image.height), {a.landmarks, b.landmarks}};
  for (std::int64_t y = 0; y < a.image.height; ++y) {
    const auto left = a.image.view().row(y), right = b.image.view().row(y);
    const auto row = pair.image.view().row(y);
    std::copy(right.begin(), right.end(), std::copy(left.begin(), left.end(), row.begin()));
  }
  for (Point& p : pair.truth[1]) p.x += static_cast<double>(a.image.width);
  return pair;
}

TEST(FindFaces, FindsBothFacesOfAnImage) {
  Fitter fitter(model(), {}, Device::cpu());
  for (int i = 0; i < 3; ++i) {
    const Pair pair = side_by_side(render_face(random_face(7, 1000 + 2 * i), 256, 256),
                                   render_face(random_face(7, 1001 + 2 * i), 256, 256));
    const std::vector<Fit> found = find_faces(fitter, pair.image.view());
    ASSERT_EQ(found.size(), 2u) << i;
    EXPECT_GE(found[0].confidence, found[1].confidence);
    for (const Shape& truth : pair.truth) {
      // below 0.05 a fit counts as good
      const double error =
          std::min(shape_error(found[0].landmarks, truth), shape_error(found[1].landmarks, truth));
      EXPECT_LT(error, 0.05) << i;
    }
    ASSERT_EQ(find_faces(fitter, pair.image.view(), {.max_faces = 1}).size(), 1u);
    EXPECT_EQ(find_faces(fitter, pair.image.view(), {.max_faces = 1})[0].landmarks, found[0].landmarks);
  }
}

// 640 x 480 pixels without a face: smooth noise, boxes of grey values, or waves.
Image<Grey8> background(int kind, std::uint64_t seed) {
  Image<Grey8> image(640, 480);
  PhiloxStream random(seed, static_cast<std::uint64_t>(kind));
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random.next() % static_cast<std::uint32_t>(high - low));
  };
  if (kind == 0) {
    for (Grey8& p : image.pixels) p.v = static_cast<std::uint8_t>(random.next() >> 24);
    for (int pass = between(0, 4); pass-- > 0;)
      for (std::size_t i = 641; i < image.pixels.size(); ++i)
        image.pixels[i].v = static_cast<std::uint8_t>(
            (image.pixels[i].v + image.pixels[i - 1].v + image.pixels[i - 640].v + image.pixels[i - 641].v) /
            4);
  } else if (kind == 1) {
    for (int n = 60; n-- > 0;) {
      const int x = between(0, 600), y = between(0, 440), w = between(5, 200), h = between(5, 200);
      const auto grey = static_cast<std::uint8_t>(between(0, 256));
      for (int v = y; v < std::min(480, y + h); ++v)
        for (int u = x; u < std::min(640, x + w); ++u) image.view().at(u, v) = {grey};
    }
  } else {
    const int a = between(1, 200), b = between(1, 9), c = between(10, 200);
    for (std::int64_t y = 0; y < 480; ++y)
      for (std::int64_t x = 0; x < 640; ++x)
        image.view().at(x, y) = {static_cast<std::uint8_t>((x * x / a + b * y + y * y / c) % 256)};
  }
  return image;
}

// Pastes an unseen face of a size, in pixels, around (x, y), and returns its landmarks.
Shape paste(Image<Grey8>& image, int number, double size, double x, double y) {
  FaceParameters face = random_face(7, number);
  const double scale = size / face_size(render_face(face, 256, 256).landmarks);
  const auto side = static_cast<int>(std::lround(256 * scale));
  face.x_px *= scale;
  face.y_px *= scale;
  face.size_px *= scale;
  Example small = render_face(face, side, side);
  const Box box = bounds(small.landmarks);
  const auto dx = static_cast<std::int64_t>(x - box.x - box.width / 2);
  const auto dy = static_cast<std::int64_t>(y - box.y - box.height / 2);
  for (std::int64_t v = 0; v < side; ++v)
    for (std::int64_t u = 0; u < side; ++u)
      if (u + dx >= 0 && v + dy >= 0 && u + dx < image.width && v + dy < image.height &&
          std::abs(static_cast<double>(u + dx) - x) < 0.75 * size &&
          std::abs(static_cast<double>(v + dy) - y) < 0.75 * size)
        image.view().at(u + dx, v + dy) = small.image.view().at(u, v);
  for (Point& p : small.landmarks) p = {p.x + static_cast<double>(dx), p.y + static_cast<double>(dy)};
  return small.landmarks;
}

// Faces of 4 to 60 % of the height, several in an image or none. Measured: all are found, and nothing else.
TEST(FindFaces, FindsFacesOfAllSizesAndNothingElse) {
#ifdef TRIPTYCH_SANITIZED
  GTEST_SKIP() << "takes minutes under a sanitizer; the tests above run the same code";
#endif
  Fitter fitter(model(), {}, Device::cpu());
  int number = 2000, faces = 0, right = 0, wrong = 0;
  for (const auto& [share, count] : {std::pair{0.04, 3}, {0.08, 3}, {0.2, 2}, {0.6, 1}, {0.0, 0}})
    for (int kind = 0; kind < 3; ++kind) {
      Image<Grey8> image = background(kind, static_cast<std::uint64_t>(number));
      std::vector<Shape> truth;
      truth.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i)
        truth.push_back(
            paste(image, number++, share * 480, 320 + (i - (count - 1) / 2.0) * 200, 200 + 20 * i));
      const std::vector<Fit> found = find_faces(fitter, image.view());
      int good = 0;
      for (const Shape& face : truth)
        good += static_cast<int>(std::count_if(found.begin(), found.end(), [&](const Fit& fit) {
          return shape_error(fit.landmarks, face) < 0.1;
        }));
      for (const Fit& fit : found) {
        EXPECT_TRUE(fit.found());
        EXPECT_GE(fit.confidence, FindFacesOptions{}.min_confidence);
      }
      right += good;
      wrong += static_cast<int>(found.size()) - good;
      faces += count;
      ++number;
    }
  EXPECT_EQ(faces, 27);
  EXPECT_GE(right, 25);
  EXPECT_LE(wrong, 2);
}

// The scale of a score: the background of images that were not seen has a mean of 0 and a deviation of 1.
// Some 250 fits, of which 14 each lie in one image: measured are -0.1 and 1.0. Faces lie far above all of it.
TEST(FaceScore, CountsDeviationsAboveTheBackground) {
  Fitter fitter(model(), {.min_confidence = 0}, Device::cpu());
  double sum = 0, squares = 0, highest = -100, lowest_face = 100;
  int count = 0;
  for (int i = 0; i < 20; ++i) {
    const Example face = render_face(random_face(7, 3000 + i), 256, 256);
    lowest_face = std::min(lowest_face, face_score(model(), face.image.view(), face.landmarks));
    for (const Candidate& place : search_faces(model(), face.image.view(), 40, 256, 16, 0)) {
      const Fit fit = fitter.step({face.image.view(), start_at(model(), place), true});
      if (!fit.found() || shape_error(fit.landmarks, face.landmarks) < 0.2) continue;
      const double score = face_score(model(), face.image.view(), fit.landmarks);
      sum += score;
      squares += score * score;
      highest = std::max(highest, score);
      ++count;
    }
  }
  ASSERT_GT(count, 100);
  const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
  EXPECT_NEAR(mean, 0, 0.5);
  EXPECT_NEAR(deviation, 1, 0.3);
  EXPECT_GT(lowest_face, highest + 5);
}

// A model of varied faces, as the one that ships, is unsure of its fits: it has to be, to find any face.
// Unseen faces, and the places of unseen scenes that resemble a face most.
TEST(CheckFace, TellsFitsToFacesFromOthers) {
#ifdef TRIPTYCH_SANITIZED
  GTEST_SKIP() << "takes minutes under a sanitizer; the test below runs the same code";
#endif
  constexpr int trained_on = 80, faces = 40, scenes = 40;
  std::vector<Example> examples;
  examples.reserve(trained_on);
  for (int i = 0; i < trained_on; ++i) examples.push_back(render_face(varied_face(1, i), 256, 256));
  const Model varied = train(examples, default_model_options());
  Fitter fitter(varied, {}, Device::cpu());
  int found = 0, others = 0, others_found = 0, others_of_fitter = 0;
  for (int i = 0; i < faces; ++i) {
    const Example face = render_face(varied_face(2, i), 256, 256);
    const Shape start = evaluation_starts(varied.mean, face.landmarks)[static_cast<std::size_t>(i % 5)];
    const Fit fit = fitter.step({face.image.view(), start});
    const Fit checked = check_face(varied, face.image.view(), fit);
    EXPECT_EQ(checked.landmarks, fit.landmarks);
    EXPECT_EQ(checked.found(), checked.confidence >= 0.5);
    found += checked.found() ? 1 : 0;
  }
  for (int i = 0; i < scenes; ++i) {
    const Image<Grey8> scene = background_scene(1000, i, 192, 192);
    for (const Candidate& place : search_faces(varied, scene.view(), 30, 192, 8, 0)) {
      const Fit fit = fitter.step({scene.view(), start_at(varied, place)});
      ++others;
      others_of_fitter += fit.found() ? 1 : 0;
      others_found += check_face(varied, scene.view(), fit).found() ? 1 : 0;
    }
  }
  std::printf("%d of %d faces; of %d other places the fitter finds a face at %d, check_face at %d\n", found,
              faces, others, others_of_fitter, others_found);
  ASSERT_GT(others, 200);
  EXPECT_GE(found, faces - 4);
  EXPECT_GT(others_of_fitter, 0);
  EXPECT_LE(others_found, others / 100);
}

TEST(CheckFace, LeavesOtherLossesAndModelsWithoutAClassifierAlone) {
  const Example face = render_face(random_face(7, 4100), 256, 256);
  Fitter fitter(model(), {}, Device::cpu());
  const Fit fit = fitter.step({face.image.view(), face.landmarks});
  Model without = model();
  without.face_classifier = {};
  EXPECT_EQ(check_face(without, face.image.view(), fit).confidence, fit.confidence);
  Fit outside = fit;
  outside.status = FitStatus::lost_outside;
  EXPECT_EQ(check_face(model(), face.image.view(), outside).status, FitStatus::lost_outside);
  const Image<Grey8> scene = background_scene(1000, 1, 256, 256);
  const Fit other = check_face(model(), scene.view(), fitter.step({scene.view(), face.landmarks}));
  EXPECT_EQ(other.status, FitStatus::lost_no_face);
  EXPECT_EQ(check_face(model(), scene.view(), other, 0).status, FitStatus::completed);
  Fit unsure = fit;
  unsure.status = FitStatus::lost_no_face;  // by the fitter's own threshold
  EXPECT_EQ(check_face(model(), face.image.view(), unsure).status, FitStatus::completed);
  EXPECT_ERROR(check_face(model(), {}, fit), InvalidArgument, "empty");
  EXPECT_ERROR(check_face(model(), face.image.view(), fit, 1.5), InvalidArgument, "not at 1.5");
}

TEST(FaceScore, DoesNotDependOnLightOrContrast) {
  const Example face = render_face(random_face(7, 3100), 256, 256);
  const double score = face_score(model(), face.image.view(), face.landmarks);
  Image<Grey8> dim = face.image;
  for (Grey8& p : dim.pixels) p.v = static_cast<std::uint8_t>(40 + p.v / 2);
  // Half of the contrast, rounded: a fraction of a deviation.
  EXPECT_NEAR(face_score(model(), dim.view(), face.landmarks), score, 0.5);
  EXPECT_LT(face_score(model(), Image<Grey8>(256, 256).view(), face.landmarks), score - 5);  // flat
  Shape away = face.landmarks;
  for (Point& p : away) p.x += 1e7;
  EXPECT_TRUE(std::isfinite(face_score(model(), face.image.view(), away)));
}

TEST(FindFaces, NeedsNoClassifierAndNoConfidenceOfTheFitter) {
  const Example face = render_face(random_face(7, 3200), 256, 256);
  Model without = model();
  without.face_classifier = {};
  EXPECT_EQ(face_score(without, face.image.view(), face.landmarks), 0);
  Fitter usual(model(), {}, Device::cpu()), unsure(model(), {.min_confidence = 1}, Device::cpu()),
      older(without, {}, Device::cpu());
  const std::vector<Fit> found = find_faces(usual, face.image.view());
  ASSERT_EQ(found.size(), 1u);
  for (Fitter* other : {&unsure, &older}) {
    const std::vector<Fit> same = find_faces(*other, face.image.view());
    ASSERT_EQ(same.size(), 1u);
    EXPECT_TRUE(same[0].found());
    EXPECT_EQ(same[0].landmarks, found[0].landmarks);
  }
}

TEST(FindFaces, FindsNothingWhereThereIsNoFace) {
  Fitter fitter(model(), {}, Device::cpu());
  Image<Grey8> waves(256, 256);
  for (std::int64_t y = 0; y < 256; ++y)
    for (std::int64_t x = 0; x < 256; ++x)
      waves.view().at(x, y) = {static_cast<std::uint8_t>((x * x / 64 + 3 * y) % 256)};
  EXPECT_TRUE(find_faces(fitter, waves.view()).empty());
  EXPECT_TRUE(find_faces(fitter, Image<Grey8>(64, 64).view()).empty());
}

TEST(FindFaces, RefusesOptions) {
  Fitter fitter(model(), {}, Device::cpu());
  const Image<Grey8> image(64, 64);
  EXPECT_ERROR(find_faces(fitter, {}), InvalidArgument, "empty");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.min_size = 1.5}), InvalidArgument, "1.5");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.max_size = 0}), InvalidArgument, "0.01 to 1");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.max_candidates = 0}), InvalidArgument, "max_candidates");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.max_overlap = 2}), InvalidArgument, "overlap by 2");
  EXPECT_ERROR(find_faces(fitter, image.view(), {.max_faces = -1}), InvalidArgument, "-1");
}

}  // namespace
}  // namespace triptych::aam_fit
