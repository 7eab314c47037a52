#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/synthetic.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "synthetic/synthetic_colour.hpp"
#include "synthetic/synthetic_person.hpp"
#include "synthetic/synthetic_room.hpp"

namespace triptych::skin_tracker {

namespace {

using synthetic::Colour;
using synthetic::Person;

// Noise has steps of 1/16 grey level. It is drawn from a table of equally probable values.
constexpr int steps_per_level = 16;
constexpr std::size_t noise_values = 1024;
using NoiseTable = std::array<int, noise_values>;

// The medians of 1024 equally probable intervals of the normal distribution, by bisection.
std::array<double, noise_values> normal_quantiles() {
  std::array<double, noise_values> values{};
  for (std::size_t i = 0; i < noise_values; ++i) {
    const double wanted = (static_cast<double>(i) + 0.5) / noise_values;
    double low = -6, high = 6;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      (0.5 * std::erfc(-middle / std::numbers::sqrt2) < wanted ? low : high) = middle;
    }
    values[i] = 0.5 * (low + high);
  }
  return values;
}

NoiseTable noise_table(double deviation) {
  static const std::array<double, noise_values> quantiles = normal_quantiles();
  NoiseTable table{};
  for (std::size_t i = 0; i < noise_values; ++i)
    table[i] = static_cast<int>(std::lround(steps_per_level * deviation * quantiles[i]));
  return table;
}

std::uint8_t noisy(int sixteenths, int noise) {
  const int level = (sixteenths + noise + steps_per_level / 2) >> 4;
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
}

Rgb8 noisy(const Rgb8& c, std::uint32_t bits, const NoiseTable& table) {
  return {noisy(steps_per_level * c.r, table[bits & 1023]),
          noisy(steps_per_level * c.g, table[bits >> 10 & 1023]),
          noisy(steps_per_level * c.b, table[bits >> 20 & 1023])};
}

Rgb8 rounded(const Colour& c) {
  const auto byte = [](float v) { return static_cast<std::uint8_t>(std::clamp(v + 0.5f, 0.0f, 255.0f)); };
  return {byte(c.r), byte(c.g), byte(c.b)};
}

}  // namespace

SyntheticScene::SyntheticScene(const SyntheticOptions& options) : options_(options) {
  require(options.width >= 64 && options.height >= 64 && options.width <= max_width &&
              options.height <= max_height,
          "a synthetic scene must have from 64 x 64 to ", max_width, " x ", max_height, " pixels, not ",
          options.width, " x ", options.height);
  require(options.frames >= 1, "a synthetic scene must have at least one frame, not ", options.frames);
  require(options.noise >= 0 && options.noise <= 64,
          "the noise of a synthetic scene must be 0 .. 64 grey levels, not ", options.noise);
  room_ = std::make_shared<const std::vector<Rgb8>>(
      synthetic::paint_room(options.width, options.height, options.seed, 0));
}

SyntheticTruth SyntheticScene::truth(int frame) const {
  require(frame >= 0 && frame < options_.frames, "a synthetic scene of ", options_.frames,
          " frames has no frame ", frame);
  const synthetic::Pose pose = synthetic::pose_at(frame, options_);
  const double a = pose.face_width, b = pose.face_height, tilt = pose.tilt;
  constexpr double half_turn = std::numbers::pi;
  double angle = half_turn / 2 + tilt;
  if (angle > half_turn / 2) angle -= half_turn;
  const double half_w = length(a * std::cos(tilt), b * std::sin(tilt));
  const double half_h = length(a * std::sin(tilt), b * std::cos(tilt));
  // Pixel centres are at integers, so the edges of the box lie half a pixel further.
  return {pose.x, pose.y, b,
          a,      angle,  {pose.x - half_w + 0.5, pose.y - half_h + 0.5, 2 * half_w, 2 * half_h}};
}

void SyntheticScene::render(int frame, ImageView<Rgb8> out, int threads) const {
  require(frame >= 0 && frame < options_.frames, "a synthetic scene of ", options_.frames,
          " frames has no frame ", frame);
  require(out.width() == options_.width && out.height() == options_.height, "a synthetic frame of ",
          options_.width, " x ", options_.height, " pixels cannot be painted into one of ", out.width(),
          " x ", out.height());
  const Person person(synthetic::pose_at(frame, options_));
  const NoiseTable noise = noise_table(options_.noise);
  const PhiloxStream random(options_.seed, static_cast<std::uint64_t>(frame));
  const int width = options_.width;
  parallel_for(0, options_.height, threads, [&](std::int64_t y) {
    const Rgb8* behind = room_->data() + y * width;
    Rgb8* row = out.row(y).data();
    std::copy(behind, behind + width, row);
    const Person::Columns columns = person.columns(static_cast<int>(y), width);
    for (int x = columns.first; x < columns.last; ++x) {
      const Colour colour{static_cast<float>(row[x].r), static_cast<float>(row[x].g),
                          static_cast<float>(row[x].b)};
      row[x] = rounded(person.paint(static_cast<float>(x), static_cast<float>(y), colour));
    }
    if (options_.noise == 0) return;
    const std::uint64_t blocks = static_cast<std::uint64_t>(width + 3) / 4;
    for (int x = 0; x < width; x += 4) {  // the four words of a Philox block for four pixels
      const Philox4x32 words =
          random.block(static_cast<std::uint64_t>(y) * blocks + static_cast<std::uint64_t>(x / 4));
      for (int k = 0; k < 4 && x + k < width; ++k) row[x + k] = noisy(row[x + k], words[k], noise);
    }
  });
}

}  // namespace triptych::skin_tracker
