#include <triptych/core/length.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "gate/face_classifier.hpp"
#include "gate/gate.hpp"

namespace triptych::skin_tracker {

namespace {

// All lengths are multiples of the head's size, all densities multiples of its usual one.
constexpr double reach = 0.6;             // how far from the expected place the head is sought
constexpr double ring_scale = 1.5;        // the ring's outer edge
constexpr double ring_price = 1.0;        // of weight in the ring against weight inside
constexpr double momentum = 0.6;          // of the speed that goes on into the next frame
constexpr double place_price = 0.5;       // for a box one head away from where it was expected
constexpr double size_price = 1.0;        // for a box e times as large
constexpr double looks_size_price = 6.0;  // the same where the template says how large the head is
constexpr double memory_price = 0.3;      // for a box e times as large as the head was lately
constexpr double start_price = 0.05;      // for a box e times as large as the head was at first
constexpr double size_following = 0.03;   // how quickly that follows
constexpr double forgetting = 0.05;       // how quickly the usual densities follow
constexpr double min_inside = 0.6;        // below this share of what it was at first they do not fall
constexpr double lost_share = 0.4;        // thinner than this is no head any more
constexpr double found_share = 0.65;      // and from this on it is one again
constexpr double search_share = 0.5;      // on few samples it may be thinner
constexpr double scan_stride = 0.3;       // between the boxes that are tried there
constexpr double boxes_per_frame = 1000;  // of the smallest size
constexpr double max_box_samples = 1e6;   // per side; more than any map has
constexpr double candidate_scale = 2.2;   // of the box around which the head is sought then
constexpr double glance_stride = 0.9;     // between the places where the template looks for a lost head
constexpr double response_gain = 1.0;     // of the template's response against the contrast of weights
constexpr double looks_following = 0.02;  // how quickly the template follows
constexpr double growth_share = 0.25;     // of the measured growth, in the expected size
constexpr double min_sharpness = 6;       // below it the template does not follow
constexpr double min_response = 0.25;     // the same of the response itself
constexpr double found_sharpness = 12;    // from this on it is the head, whatever the weights say
constexpr double recognised = 0.75;       // likeness from which on it is surely the same head
constexpr int max_without_face = 5;       // frames; then something else may be the head
constexpr double max_usual = 40;          // sharper than this is as good
constexpr double usual_following = 0.1;   // how quickly the usual sharpness follows
constexpr double changed_share = 0.5;     // of it, below which something else may be the head
constexpr double upright_aspect = 0.75;   // width over height of a head of which nothing is known
constexpr double smallest_head = 0.1;     // of the frame's height
constexpr double largest_head = 0.9;

CentredBox box_of(const PixelBox& r) {
  return {r.x + 0.5 * r.width, r.y + 0.5 * r.height, double(r.width), double(r.height)};
}

}  // namespace

Gate::Gate(int frame_width, int frame_height, const std::optional<PixelBox>& start)
    : frame_width_(frame_width), frame_height_(frame_height) {
  if (start) box_ = box_of(*start);
  following_ = start.has_value();
}

CentredBox Gate::expected() const {
  const double growth = std::pow(HeadTemplate::growth(smaller_peak_, larger_peak_), growth_share);
  return {box_.x + momentum * speed_x_, box_.y + momentum * speed_y_, growth * box_.width,
          growth * box_.height};
}

CentredBox Gate::near() const { return expected().scaled(1.1 * (2 * reach + ring_scale)); }

CentredBox Gate::looks_near() const { return expected().scaled(2 * reach + HeadTemplate::scale); }

CentredBox Gate::around() const { return box_.scaled(2 * (glance_stride + reach) + ring_scale); }

CentredBox Gate::looks_around() const { return box_.scaled(2 * glance_stride + HeadTemplate::scale); }

CentredBox Gate::whole() const { return {frame_width_ / 2, frame_height_ / 2, frame_width_, frame_height_}; }

double Gate::head_px() const {
  return box_.area() > 0 ? std::min(box_.width, box_.height) : smallest_head * frame_height_;
}

Gate::Candidate Gate::judge(const WeightMap& map, const CentredBox& box) const {
  const WeightMap::Content in = map.inside(box);
  const WeightMap::Content out = map.inside(box.scaled(ring_scale));
  Candidate c;
  c.box = box;
  if (in.area < 0.4 * box.area()) return c;  // mostly outside the frame
  c.inside = in.density();
  c.ring = out.area > in.area ? std::max(0.0, out.weight - in.weight) / (out.area - in.area) : 0;
  c.score = c.inside - ring_price * c.ring;
  return c;
}

Gate::Candidate Gate::judge(const WeightMap& map, const CentredBox& box, const CentredBox& expected,
                            double gain) const {
  Candidate c = judge(map, box);
  const double dx = (box.x - expected.x) / expected.width, dy = (box.y - expected.y) / expected.height;
  const double grown = std::log(box.height / expected.height);
  const double lately = size_ > 0 ? std::log(box.height / size_) : 0;
  const double at_first = first_size_ > 0 ? std::log(box.height / first_size_) : 0;
  c.score -= place_price * (dx * dx + dy * dy) + (gain > 0 ? looks_size_price : size_price) * grown * grown +
             memory_price * lately * lately + start_price * at_first * at_first -
             (gain > 0 ? gain * response_.at(box.x, box.y) : 0);
  return c;
}

Gate::Candidate Gate::refine(const WeightMap& map, Candidate best, const CentredBox& expected, double step,
                             double growth, double gain) const {
  const CentredBox middle = best.box;
  const double factors[] = {1 / growth, 1, growth};
  for (int i = 0; i < 27; ++i) {
    const double factor = factors[i / 9];
    const Candidate c = judge(
        map,
        {middle.x + (i % 3 - 1) * step * middle.width, middle.y + (i / 3 % 3 - 1) * step * middle.height,
         factor * middle.width, factor * middle.height},
        expected, gain);
    if (c.score > best.score) best = c;
  }
  return best;
}

bool Gate::convincing(const Candidate& c, double min_share) const {
  return c.inside > min_share * inside_ && c.inside - c.ring > 0.5 * min_share * (inside_ - ring_);
}

void Gate::learn(const Candidate& c, double rate) {
  inside_ = std::max(inside_ + rate * (c.inside - inside_), min_inside * first_inside_);
  ring_ += rate * (c.ring - ring_);
}

void Gate::take(const WeightMap& map, const Candidate& c) {
  box_ = c.box;
  // Looks say where the head is, weights where exactly its skin is. That must not move the box: it would
  // drift.
  Candidate skin = judge(map, box_, box_, 0);
  skin = refine(map, skin, box_, 0.04, 1.025, 0);
  skin_ = refine(map, skin, box_, 0.02, 1.01, 0).box;
  weights_ = Layout(map, box_);
  if (!known_) first_weights_ = late_weights_ = weights_;
  match_.oval = weights_.correlation(Layout::oval());
  match_.likeness = std::max(weights_.correlation(first_weights_), weights_.correlation(late_weights_));
}

bool Gate::recognise(const WeightMap& brightness) {
  const HeadTemplate::Picture picture(brightness, box_);
  if (!looks_.known()) looks_.learn(picture, 1);
  const HeadTemplate::Response response = looks_.match(picture);
  match_.sharpness = response.sharpness();
  const bool like = match_.likeness >= recognised;
  if (!(match_.sharpness >= min_sharpness && response.peak() >= min_response)) return like;
  measure_size(brightness, response.peak());
  looks_.learn(picture, looks_following);
  if (like) late_weights_.approach(weights_, forgetting);
  return true;
}

void Gate::measure_size(const WeightMap& brightness, double peak) {
  measured_larger_ = !measured_larger_;
  const double factor = measured_larger_ ? HeadTemplate::max_growth : 1 / HeadTemplate::max_growth;
  const double other = looks_.match(HeadTemplate::Picture(brightness, box_.scaled(factor))).peak();
  (measured_larger_ ? larger_peak_ : smaller_peak_) = other / peak;
}

// The box that stands out most near the start is the one that can be followed; how the start lies in it is
// kept.
bool Gate::begin(const WeightMap& map, const WeightMap& brightness) {
  const CentredBox start = box_;
  Candidate best = judge(map, start, start, 0);
  for (const double step : {0.1, 0.1, 0.05, 0.05, 0.025, 0.0125})
    best = refine(map, best, start, step, 1 + 0.5 * step, 0);
  if (best.inside <= 0) {
    following_ = false;
    return false;
  }
  match_.started = true;
  take(map, best);
  size_ = first_size_ = box_.height;
  head_x_ = (start.x - box_.x) / box_.width;
  head_y_ = (start.y - box_.y) / box_.height;
  head_scale_ = start.height / box_.height;
  inside_ = best.inside;
  ring_ = best.ring;
  first_inside_ = inside_;
  known_ = true;
  return recognise(brightness);
}

CentredBox Gate::head() const {
  return {skin_.x + head_x_ * skin_.width, skin_.y + head_y_ * skin_.height, head_scale_ * skin_.width,
          head_scale_ * skin_.height};
}

bool Gate::follow(const WeightMap& map, const WeightMap& brightness) {
  if (!known_) return begin(map, brightness);
  const CentredBox expected = Gate::expected();
  response_ = looks_.match(HeadTemplate::Picture(brightness, expected));
  Candidate best;
  constexpr int steps = 4;
  for (int row = -steps; row <= steps; ++row) {
    for (int column = -steps; column <= steps; ++column) {
      const double dx = reach * column / steps, dy = reach * row / steps;
      const Candidate c = judge(
          map, {expected.x + dx * box_.width, expected.y + dy * box_.height, expected.width, expected.height},
          expected, response_gain);
      if (c.score > best.score) best = c;
    }
  }
  const Candidate peak = judge(map, {response_.peak_x(), response_.peak_y(), expected.width, expected.height},
                               expected, response_gain);
  if (peak.score > best.score) best = peak;
  best = refine(map, best, expected, 0.075, 1.05, response_gain);
  best = refine(map, best, expected, 0.04, 1.025, response_gain);
  best = refine(map, best, expected, 0.02, 1.01, response_gain);
  const CentredBox before = box_;
  // In light of another colour the head may have little weight left, but its looks.
  if (best.inside > 0 && (convincing(best, lost_share) || response_.sharpness() >= found_sharpness)) {
    take(map, best);
    following_ = recognise(brightness);
  } else {
    following_ = false;
  }
  if (!following_) {
    lost_frames_ = 0;
    return false;
  }
  if (face_seen_) doubt_face();
  speed_x_ = 0.5 * (speed_x_ + box_.x - before.x);
  speed_y_ = 0.5 * (speed_y_ + box_.y - before.y);
  size_ *= std::pow(box_.height / size_, size_following);
  learn(best, forgetting);
  return true;
}

bool Gate::wants_face() const { return following_ && !match_.started && !face_seen_; }

void Gate::doubt_face() {
  const double sharpness = std::min(match_.sharpness, max_usual);
  face_seen_ = sharpness >= changed_share * usual_sharpness_;
  frames_without_face_ = 0;
  usual_sharpness_ += usual_following * (sharpness - usual_sharpness_);
}

void Gate::check_face(const WeightMap& brightness) {
  match_.face = face_score(brightness, box_);
  face_seen_ = match_.face >= min_face;
  if (face_seen_) usual_sharpness_ = std::min(match_.sharpness, max_usual);
  if (face_seen_ || ++frames_without_face_ <= max_without_face) return;
  const GateMatch match = match_;
  const CentredBox skin = skin_;
  *this = Gate(static_cast<int>(frame_width_), static_cast<int>(frame_height_), {});
  match_ = match;  // of this frame, in which it is still what was found
  skin_ = skin;
}

CentredBox Gate::candidate() const { return candidate_.scaled(candidate_scale); }

CentredBox Gate::looks_of_candidate() const {
  return candidate_.scaled(candidate_scale - 1 + HeadTemplate::scale);
}

Gate::Candidate Gate::scan(const WeightMap& map, double height, double width, int part, int parts) const {
  const double step = map.step();
  const auto samples = [&](double px) {
    return static_cast<int>(std::lround(std::clamp(px / step, 1.0, max_box_samples)));
  };
  const int columns = samples(width), rows = samples(height);
  const int ring_x = samples((ring_scale - 1) / 2 * width), ring_y = samples((ring_scale - 1) / 2 * height);
  const int right = samples(scan_stride * width), down = samples(scan_stride * height);
  // The longer it was lost, the farther it can be.
  const double nearby = known_ ? 0.1 / (1 + 0.5 * lost_frames_) : 0;
  Candidate best;
  for (int y = -rows / 5, row = 0; y <= map.rows() - rows * 4 / 5; y += down, ++row) {
    if (row % parts != part) continue;
    for (int x = -columns / 5; x <= map.columns() - columns * 4 / 5; x += right) {
      const WeightMap::Content in = map.inside_samples(x, y, x + columns, y + rows);
      const WeightMap::Content out =
          map.inside_samples(x - ring_x, y - ring_y, x + columns + ring_x, y + rows + ring_y);
      const double inside = in.density();
      const double ring = out.area > in.area ? (out.weight - in.weight) / (out.area - in.area) : 0;
      double score = inside - ring_price * ring;
      if (score <= best.score) continue;  // the distance only lowers it
      const CentredBox box{map.region().x + (x + 0.5 * columns) * step,
                           map.region().y + (y + 0.5 * rows) * step, width, height};
      if (nearby > 0) score -= nearby * length((box.x - box_.x) / width, (box.y - box_.y) / height);
      if (score > best.score) best = {box, inside, ring, score};
    }
  }
  return best;
}

bool Gate::search(const WeightMap& map) {
  ++lost_frames_;
  speed_x_ = speed_y_ = 0;
  const bool sized = box_.area() > 0;
  const double least = sized ? box_.height * 0.8 : smallest_head * frame_height_;
  const double most = sized ? box_.height * 1.26 : largest_head * frame_height_;
  const double aspect = sized ? box_.width / box_.height : upright_aspect;
  const double boxes = frame_width_ * frame_height_ / (scan_stride * scan_stride * aspect * least * least);
  const int parts = known_ ? static_cast<int>(std::clamp(boxes / boxes_per_frame, 1.0, 8.0)) : 1;
  Candidate best;
  for (double height = least; height <= most; height *= 1.25) {
    Candidate c = scan(map, height, aspect * height, lost_frames_ % parts, parts);
    c.score *= std::sqrt(height);  // a larger box that is as good says more
    if (c.score > best.score) best = c;
  }
  candidate_ = best.box;
  return best.inside > 0 && (!known_ || convincing(best, search_share));
}

bool Gate::find_around(const WeightMap& map, const WeightMap& brightness) {
  HeadTemplate::Response best;
  const auto look = [&](int column, int row) {
    CentredBox box = box_;
    box.x += column * glance_stride * box.width;
    box.y += row * glance_stride * box.height;
    const HeadTemplate::Response response = looks_.match(HeadTemplate::Picture(brightness, box));
    if (response.sharpness() > best.sharpness()) best = response;
  };
  look(0, 0);
  constexpr std::array<std::array<int, 2>, 4> sides = {{{1, 0}, {1, 1}, {0, 1}, {-1, 1}}};
  for (int i = 0; i < 4;
       ++i) {  // all when it was lost just now, then one after the other, which takes less time
    if (lost_frames_ > 0 && lost_frames_ % 4 != i) continue;
    const auto [column, row] = sides[static_cast<std::size_t>(i)];
    look(column, row);
    look(-column, -row);
  }
  if (!(best.sharpness() >= found_sharpness)) return false;
  const Candidate found = judge(map, {best.peak_x(), best.peak_y(), box_.width, box_.height});
  if (!(found.inside > 0)) return false;
  take_found(map, found, brightness);
  return true;
}

void Gate::take_found(const WeightMap& map, const Candidate& c, const WeightMap& brightness) {
  take(map, c);
  if (!known_) {
    inside_ = c.inside;
    ring_ = c.ring;
    first_inside_ = inside_;
    first_size_ = box_.height;
    known_ = true;
  }
  following_ = true;
  lost_frames_ = 0;
  face_seen_ = false;  // what was found again may be something else
  frames_without_face_ = 0;
  recognise(brightness);
}

bool Gate::acquire(const WeightMap& map, const WeightMap& brightness) {
  const auto judge_size = [&](const CentredBox& box) {
    Candidate c = judge(map, box);
    c.score *= std::sqrt(box.height);
    return c;
  };
  Candidate best = judge_size(candidate_);
  for (const double step : {0.15, 0.075, 0.04}) {
    const CentredBox middle = best.box;
    for (int i = 0; i < 27; ++i) {
      const double factor = std::pow(1 + 0.7 * step, i / 9 - 1);
      const Candidate c = judge_size({middle.x + (i % 3 - 1) * step * middle.width,
                                      middle.y + (i / 3 % 3 - 1) * step * middle.height,
                                      factor * middle.width, factor * middle.height});
      if (c.score > best.score) best = c;
    }
  }
  if (best.inside <= 0) return false;
  if (known_ && !convincing(best, found_share)) return false;
  if (known_) {
    const HeadTemplate::Response response = looks_.match(HeadTemplate::Picture(brightness, best.box));
    best = judge(map, {response.peak_x(), response.peak_y(), best.box.width, best.box.height});
    if (!(response.sharpness() >= found_sharpness) || !convincing(best, lost_share)) return false;
  }
  take_found(map, best, brightness);
  size_ = box_.height;
  return true;
}

}  // namespace triptych::skin_tracker
