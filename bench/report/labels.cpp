#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "labels.hpp"

namespace triptych::report {

namespace {

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

// Whether the segment passes through the box: clipped against its four sides, something is left.
bool crosses(Point from, Point to, const Box& box) {
  double enter = 0;
  double leave = 1;
  const auto clip = [&](double start, double delta, double low, double high) {
    if (delta == 0) return start >= low && start <= high;
    const double a = (low - start) / delta;
    const double b = (high - start) / delta;
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
    return true;
  };
  return clip(from.x, to.x - from.x, box.left, box.right()) &&
         clip(from.y, to.y - from.y, box.top, box.bottom()) && enter <= leave;
}

bool is_free(const Box& box, const std::vector<std::vector<Point>>& lines, const std::vector<Box>& taken,
             const Box& frame) {
  if (box.left < frame.left || box.right() > frame.right() || box.top < frame.top ||
      box.bottom() > frame.bottom()) {
    return false;
  }
  if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(box, other); }))
    return false;
  // Near another line, the label would seem to be that one's.
  const Box with_margin{box.left - 5, box.top - 2, box.width + 10, box.height + 4};
  for (const std::vector<Point>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (crosses(line[i > 0 ? i - 1 : 0], line[i], with_margin)) return false;
    }
  }
  return true;
}

// Boxes beside the end of a line, the best first.
std::vector<Box> beside(Point end, const std::string& text) {
  const double width = text_width(text, label_px);
  const double half = label_height / 2;
  return {{end.x + 7, end.y - half, width, label_height},
          {end.x - width / 2, end.y - 7 - label_height, width, label_height},
          {end.x + 5, end.y - 5 - label_height, width, label_height},
          {end.x - width - 5, end.y - 5 - label_height, width, label_height},
          {end.x + 5, end.y + 5, width, label_height}};
}

}  // namespace

std::vector<double> spread_out(const std::vector<double>& wanted, double gap, double low, double high) {
  if (wanted.empty()) return {};
  const auto count = static_cast<double>(wanted.size());
  if (gap * (count - 1) > high - low) gap = (high - low) / std::max(1.0, count - 1);
  // Blocks of labels that touch; a block sits where its members would like to be on average.
  struct Block {
    double sum = 0;  // of what each member wants for the block's first
    double members = 0;
    double first = 0;
  };
  std::vector<Block> blocks;
  for (const double position : wanted) {
    blocks.push_back({position, 1, 0});
    while (true) {
      Block& block = blocks.back();
      const double highest = high - gap * (block.members - 1);
      block.first = std::max(low, std::min(highest, block.sum / block.members));
      if (blocks.size() < 2) break;
      Block& before = blocks[blocks.size() - 2];
      if (before.first + gap * before.members <= block.first + 1e-9) break;
      before.sum += block.sum - gap * before.members * block.members;
      before.members += block.members;
      blocks.pop_back();
    }
  }
  std::vector<double> positions;
  for (const Block& block : blocks) {
    for (double i = 0; i < block.members; ++i) positions.push_back(block.first + gap * i);
  }
  return positions;
}

std::vector<LabelPlace> place_labels(const std::vector<LabelWish>& wishes,
                                     const std::vector<std::vector<Point>>& lines, const Box& frame,
                                     double column_x) {
  std::vector<LabelPlace> places(wishes.size());
  std::vector<Box> taken;
  std::vector<std::size_t> column;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    bool placed = false;
    for (const Box& box : wishes[i].last ? std::vector<Box>{} : beside(wishes[i].end, wishes[i].text)) {
      if (!is_free(box, lines, taken, frame)) continue;
      taken.push_back(box);
      places[i] = {{box.left, box.top + label_height / 2}, false};
      placed = true;
      break;
    }
    if (!placed) column.push_back(i);
  }
  std::stable_sort(column.begin(), column.end(),
                   [&](std::size_t a, std::size_t b) { return wishes[a].end.y < wishes[b].end.y; });
  std::vector<double> wanted;
  wanted.reserve(column.size());
  for (const std::size_t i : column) wanted.push_back(wishes[i].end.y);
  const std::vector<double> heights =
      spread_out(wanted, label_height, frame.top + label_height / 2, frame.bottom() - label_height / 2);
  for (std::size_t k = 0; k < column.size(); ++k) places[column[k]] = {{column_x, heights[k]}, true};
  return places;
}

}  // namespace triptych::report
