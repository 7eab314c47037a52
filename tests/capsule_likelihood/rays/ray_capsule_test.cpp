// The test of one ray and one capsule: analytic hits, an independent bisection, and what must not change
// them.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "capsule_likelihood/rays/ray_oracle.hpp"
#include "rays/ray_capsule_math.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::LongVec;

float intersect_at(float x, float y, const Capsule& capsule, CameraInside policy = CameraInside::exit_surface,
                   const Vec3& camera = {}) {
  EXPECT_TRUE(is_valid(capsule));
  return intersect(ray_direction(x, y), prepare(capsule, camera, policy));
}

TEST(RayCapsule, HitsTheSideOfACapsuleAcrossTheRay) {
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{-1, 0, 3}, 0.25f, {1, 0, 3}}), 2.75f);
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{0, -1, 3}, 0.5f, {0, 1, 3}}), 2.5f);
  // (x, 0, 1) hits the cylinder around the y axis at depth 3 where x^2 t^2 + (t - 3)^2 = r^2
  const float x = 0.125f;
  const double a = 1 + double{x} * x, t = (3 - std::sqrt(9 - a * (9 - 0.25))) / a;
  EXPECT_NEAR(intersect_at(x, 0, {{0, -1, 3}, 0.5f, {0, 1, 3}}), t, 1e-6);
}

TEST(RayCapsule, HitsTheCapOfACapsuleAlongTheRay) {
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{0, 0, 3}, 0.25f, {0, 0, 4}}), 2.75f);
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{0, 0, 4}, 0.25f, {0, 0, 3}}), 2.75f);
  // an axis through the camera in a skew direction
  EXPECT_NEAR(intersect_at(0.5f, 0.25f, {{1, 0.5f, 2}, 0.125f, {2, 1, 4}}), 2 - 0.125 / std::sqrt(1.3125),
              1e-6);
}

TEST(RayCapsule, HitsTheCapsBeyondTheEnds) {
  // the ray passes 0.1 beyond the end b: the sphere there is hit at depth 3 - sqrt(r^2 - 0.1^2)
  EXPECT_NEAR(intersect_at(0, 0, {{-1.1f, 0, 3}, 0.25f, {-0.1f, 0, 3}}), 3 - std::sqrt(0.0625 - 0.01), 1e-6);
  EXPECT_NEAR(intersect_at(0, 0, {{0.1f, 0, 3}, 0.25f, {1.1f, 0, 3}}), 3 - std::sqrt(0.0625 - 0.01), 1e-6);
  EXPECT_TRUE(std::isnan(intersect_at(0, 0, {{0.26f, 0, 3}, 0.25f, {1.1f, 0, 3}})));
}

TEST(RayCapsule, DecidesTangentsWithinAMicrometreOfTheRadius) {
  for (const float off : {-1e-5f, 1e-5f}) {
    const float t = intersect_at(0, 0, {{-1, 0.5f + off, 3}, 0.5f, {1, 0.5f + off, 3}});
    EXPECT_EQ(std::isnan(t), off > 0);
    const float ball = intersect_at(0, 0, {{0, 0.5f + off, 3}, 0.5f, {0, 0.5f + off, 3}});
    EXPECT_EQ(std::isnan(ball), off > 0);
  }
}

TEST(RayCapsule, TakesEqualEndsAsABall) {
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{0, 0, 2}, 0.5f, {0, 0, 2}}), 1.5f);
  EXPECT_FLOAT_EQ(intersect_at(0, 0.25f, {{0, 0.5f, 2}, 0.5f, {0, 0.5f, 2}}),
                  2 - 0.5f / std::sqrt(1.0625f));  // through the middle
}

TEST(RayCapsule, FromInsideHitsTheExitOrNothing) {
  const Capsule around{{-1, 0, 0}, 0.5f, {1, 0, 0}};
  EXPECT_FLOAT_EQ(intersect_at(0, 0, around), 0.5f);
  EXPECT_TRUE(std::isnan(intersect_at(0, 0, around, CameraInside::ignore)));
  const Capsule along{{0, 0, -1}, 0.5f, {0, 0, 2}};
  EXPECT_FLOAT_EQ(intersect_at(0, 0, along), 2.5f);
  const Capsule ball{{0, 0, 0}, 0.5f, {0, 0, 0}};
  EXPECT_FLOAT_EQ(intersect_at(0, 0, ball), 0.5f);
  EXPECT_FLOAT_EQ(intersect_at(0.75f, 0, ball), 0.4f);
  // ignoring concerns only those that contain the camera
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{0, 0, 2}, 0.5f, {0, 0, 2}}, CameraInside::ignore), 1.5f);
}

TEST(RayCapsule, HitsNothingBehindTheCamera) {
  EXPECT_TRUE(std::isnan(intersect_at(0, 0, {{-1, 0, -3}, 0.5f, {1, 0, -3}})));
  // reaches from behind to in front: only the part in front is hit
  const Capsule beside{{0.3f, 0, -1}, 0.1f, {0.3f, 0, 5}};
  EXPECT_NEAR(intersect_at(0.1f, 0, beside), 2.0, 1e-6);
  EXPECT_TRUE(std::isnan(intersect_at(-0.1f, 0, beside)));
  EXPECT_TRUE(std::isnan(intersect_at(0, 0.2f, beside)));
}

TEST(RayCapsule, KeepsTheCamerasPosition) {
  const Vec3 camera{0.5f, -0.25f, 1};
  EXPECT_FLOAT_EQ(intersect_at(0, 0, {{-0.5f, -0.25f, 4}, 0.25f, {1.5f, -0.25f, 4}}, {}, camera), 2.75f);
}

TEST(RayCapsule, ThinAndInvalidCapsulesAreNotHit) {
  EXPECT_TRUE(std::isnan(intersect_at(0, 0, {{-1, 0, 3}, 0, {1, 0, 3}})));
  EXPECT_TRUE(std::isnan(intersect_at(0, 0, {{-1, 0, 3}, 1e-4f, {1, 0, 3}})));
  EXPECT_FALSE(std::isnan(intersect_at(0, 0, {{-1, 0, 3}, 1.3e-4f, {1, 0, 3}})));
  EXPECT_FALSE(is_valid({{-1, 0, 3}, -0.1f, {1, 0, 3}}));
  EXPECT_FALSE(is_valid({{exact::no_number, 0, 3}, 0.1f, {1, 0, 3}}));
  EXPECT_FALSE(is_valid({{0, 0, 3}, 0.1f, {1, std::numeric_limits<float>::infinity(), 3}}));
  EXPECT_FALSE(is_valid({{0, 0, 3}, exact::no_number, {1, 0, 3}}));
  EXPECT_FALSE(is_valid({{0, 0, 3}, 0.1f, {1, 0, 2e6f}}));
}

// Cases that look for trouble: rays aimed at the silhouette within hair's breadths, thin and long capsules,
// axes towards the camera, cameras inside, on the edge and beside, far bodies.
class HostileCases {
 public:
  explicit HostileCases(std::uint64_t seed) : random_(seed, 0) {}

  struct Case {
    Capsule capsule;
    float x, y;
  };

  Case next() {
    const int kind = static_cast<int>(random_.next() % 8);
    const float far = kind == 6 ? 40.0f : 3.0f;
    Case c;
    c.capsule.a = {uniform(-1, 1), uniform(-1, 1), far + uniform(-0.5f, 0.5f)};
    c.capsule.radius_m = kind == 1 ? uniform(0.0005f, 0.003f) : uniform(0.03f, 0.3f);
    const float long_m = kind == 1 || kind == 2 ? uniform(1, 3) : uniform(0.001f, 0.6f);
    c.capsule.b = {c.capsule.a.x + long_m * uniform(-1, 1), c.capsule.a.y + long_m * uniform(-1, 1),
                   c.capsule.a.z + long_m * uniform(-1, 1)};
    if (kind == 3) {  // towards the camera, or nearly
      const float shrink = uniform(0.3f, 0.9f), off = random_.next() % 2 == 0 ? 0.0f : uniform(-0.01f, 0.01f);
      c.capsule.b = {c.capsule.a.x * shrink + off, c.capsule.a.y * shrink, c.capsule.a.z * shrink};
    }
    if (kind == 4) c.capsule.b = c.capsule.a;
    if (kind == 5) {  // around the camera or beside it
      c.capsule.a = {uniform(-0.4f, 0.4f), uniform(-0.4f, 0.4f), uniform(-0.6f, 0.4f)};
      c.capsule.b = {uniform(-0.4f, 0.4f), uniform(-0.4f, 0.4f), uniform(-0.4f, 1.5f)};
    }
    // a point of the axis or a bit beyond, and from there sideways about a radius
    const float along = uniform(-0.2f, 1.2f);
    const float share =
        random_.next() % 3 == 0 ? 1 + uniform(-1, 1) * pow10(-uniform(1, 6)) : uniform(0, 1.5f);
    const float angle = uniform(0, 6.2831853f);
    const Vec3 p{mix(c.capsule.a.x, c.capsule.b.x, along), mix(c.capsule.a.y, c.capsule.b.y, along),
                 mix(c.capsule.a.z, c.capsule.b.z, along)};
    const float z = std::max(p.z, 0.05f), d = share * c.capsule.radius_m;
    c.x = (p.x + d * std::cos(angle)) / z;
    c.y = (p.y + d * std::sin(angle)) / z;
    return c;
  }

 private:
  float uniform(float low, float high) { return low + (high - low) * random_.next_uniform(); }
  static float mix(float a, float b, float share) { return a + share * (b - a); }
  static float pow10(float x) { return std::pow(10.0f, x); }
  PhiloxStream random_;
};

// Rounding moves a capsule and a ray by a few units in the last place of the largest length T in the test: a
// direction of three rounded components by sqrt(3) u, twice (ray and capsule), a foot and a radius by u each,
// and about ten roundings in t: below 16 u T with u = 2^-24.
constexpr long double position_error = 16 * 0x1p-24L;

TEST(RayCapsule, AgreesWithBisectionOutsideTheGraze) {
  constexpr std::uint64_t seed = 20;
  // Quadruple precision is software, and a hundred times slower than that of x86.
  constexpr int cases = std::numeric_limits<long double>::digits > 64 ? 40000 : 200000;
  TRIPTYCH_TRACE_SEED(seed);
  HostileCases hostile(seed);
  int grazes = 0, hits = 0, inside = 0;
  long double worst = 0;
  for (int i = 0; i < cases; ++i) {
    const HostileCases::Case c = hostile.next();
    if (std::fabs(c.x) > 100 || std::fabs(c.y) > 100) continue;
    const LongVec v{c.x, c.y, 1};
    const test::OracleHit truth = test::intersect_by_bisection({}, v, c.capsule);
    const LongVec a = test::to_long(c.capsule.a), b = test::to_long(c.capsule.b);
    const long double reach = std::max(test::length(a), test::length(b)) + c.capsule.radius_m;
    const float t = intersect_at(c.x, c.y, c.capsule);
    if (truth.margin < position_error * reach) {  // the graze band: either answer will do
      ++grazes;
      continue;
    }
    ASSERT_EQ(!std::isnan(t), truth.hit) << "case " << i << ", margin " << static_cast<double>(truth.margin);
    if (!truth.hit) continue;
    ++hits;
    inside += truth.inside;
    // The hit lies on the surface...
    const long double off =
        test::distance_to_segment(static_cast<long double>(t) * v, a, b) - c.capsule.radius_m;
    worst = std::max(worst, std::fabs(off) / reach);
    ASSERT_LE(std::fabs(off), position_error * reach) << "case " << i;
    // ...and is the one that bisection finds: along the ray, an error grows as sqrt(2 r error) at a tangent.
    const long double along = std::fabs(static_cast<long double>(t) - truth.t) * test::length(v);
    ASSERT_LE(along, position_error * reach + std::sqrt(4 * (c.capsule.radius_m + position_error * reach) *
                                                        position_error * reach))
        << "case " << i;
  }
  RecordProperty("hits", hits);
  RecordProperty("grazes", grazes);
  std::printf(
      "%d hits, %d from inside, %d in the graze band; worst distance from the surface %.2g of the reach\n",
      hits, inside, grazes, static_cast<double>(worst));
  EXPECT_GT(hits, cases / 4);
  EXPECT_GT(inside, cases / 200);
  EXPECT_LT(grazes, cases / 10);
}

TEST(RayCapsule, EndsMayBeExchanged) {
  HostileCases hostile(21);
  for (int i = 0; i < 50000; ++i) {
    const HostileCases::Case c = hostile.next();
    const Capsule swapped{c.capsule.b, c.capsule.radius_m, c.capsule.a};
    const float t = intersect_at(c.x, c.y, c.capsule), u = intersect_at(c.x, c.y, swapped);
    ASSERT_TRUE(t == u || (std::isnan(t) && std::isnan(u))) << i;
  }
}

// A rotation of body and ray about the camera keeps the distance of the hit.
TEST(RayCapsule, RotatesWithTheBody) {
  PhiloxStream random(22, 0);
  HostileCases hostile(23);
  int compared = 0;
  for (int i = 0; i < 50000; ++i) {
    const HostileCases::Case c = hostile.next();
    const double angle = 0.4 * random.next_uniform(), cosine = std::cos(angle), sine = std::sin(angle);
    const auto turn = [&](double x, double y, double z) {  // about the y axis
      return LongVec{cosine * x + sine * z, y, cosine * z - sine * x};
    };
    const auto rounded = [](const LongVec& p) {
      return Vec3{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
    };
    const LongVec v = turn(c.x, c.y, 1);
    if (v.z < 0.2L || std::fabs(c.x) > 5 || std::fabs(c.y) > 5) continue;
    const Capsule rotated{rounded(turn(c.capsule.a.x, c.capsule.a.y, c.capsule.a.z)), c.capsule.radius_m,
                          rounded(turn(c.capsule.b.x, c.capsule.b.y, c.capsule.b.z))};
    const auto x = static_cast<float>(v.x / v.z), y = static_cast<float>(v.y / v.z);
    const LongVec a = test::to_long(c.capsule.a), b = test::to_long(c.capsule.b);
    const long double reach = std::max(test::length(a), test::length(b)) + c.capsule.radius_m;
    // the rotated capsule and ray are rounded once more
    const long double allowed = 2 * position_error * reach;
    if (test::intersect_by_bisection({}, {c.x, c.y, 1}, c.capsule).margin < allowed) continue;
    const float t = intersect_at(c.x, c.y, c.capsule), u = intersect_at(x, y, rotated);
    ASSERT_EQ(std::isnan(t), std::isnan(u)) << i;
    if (std::isnan(t)) continue;
    ++compared;
    const long double first = t * test::length({c.x, c.y, 1}), second = u * test::length({x, y, 1});
    ASSERT_LE(std::fabs(first - second), allowed + std::sqrt(4 * (c.capsule.radius_m + allowed) * allowed))
        << i;
  }
  EXPECT_GT(compared, 10000);
}

// A capsule is the union of the balls along its axis: none is hit before it, and the nearest of many is hit
// just behind it. With balls every h along the axis the surface between two sinks by at most h^2 / (8 r).
TEST(RayCapsule, IsTheLimitOfBalls) {
  HostileCases hostile(24);
  constexpr int balls = 400;
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const HostileCases::Case c = hostile.next();
    const Capsule& k = c.capsule;
    const PreparedCapsule whole = prepare(k, {}, CameraInside::exit_surface);
    if (is_near(whole) || k.radius_m < 0.02f) continue;
    const LongVec a = test::to_long(k.a), b = test::to_long(k.b);
    const long double reach = std::max(test::length(a), test::length(b)) + k.radius_m;
    const long double step = test::length(b - a) / (balls - 1), sunk = step * step / (8 * k.radius_m);
    if (test::intersect_by_bisection({}, {c.x, c.y, 1}, k).margin < 2 * position_error * reach + sunk)
      continue;
    float nearest = std::numeric_limits<float>::infinity();
    for (int n = 0; n < balls; ++n) {
      const float share = static_cast<float>(n) / (balls - 1);
      const Vec3 p{k.a.x + share * (k.b.x - k.a.x), k.a.y + share * (k.b.y - k.a.y),
                   k.a.z + share * (k.b.z - k.a.z)};
      nearest = exact::smaller(nearest, intersect_at(c.x, c.y, {p, k.radius_m, p}));
    }
    const float t = intersect(ray_direction(c.x, c.y), whole);
    ASSERT_EQ(std::isnan(t), std::isinf(nearest)) << i;
    if (std::isnan(t)) continue;
    ++compared;
    const long double length = test::length({c.x, c.y, 1}), allowed = 2 * position_error * reach;
    const long double slack = allowed + std::sqrt(4 * (k.radius_m + allowed) * allowed);
    ASSERT_GE(nearest * length, t * length - slack) << i;
    ASSERT_LE(nearest * length, t * length + slack + sunk + std::sqrt(4 * k.radius_m * sunk)) << i;
  }
  EXPECT_GT(compared, 50);
}

// The oracle itself can tell: a radius that is wrong by a tenth of a millimetre is seen.
TEST(RayCapsule, TheOracleSeesAWrongRadius) {
  const Capsule right{{-1, 0.1f, 3}, 0.25f, {1, 0, 3}};
  Capsule wrong = right;
  wrong.radius_m += 1e-4f;
  const test::OracleHit truth = test::intersect_by_bisection({}, {0, 0, 1}, right);
  EXPECT_LT(std::fabs(intersect_at(0, 0, right) - truth.t), position_error * 4);
  EXPECT_GT(std::fabs(intersect_at(0, 0, wrong) - truth.t), position_error * 4);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
