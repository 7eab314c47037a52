// Reads and writes files of joints and poses.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace triptych::capsule_likelihood {

namespace {

constexpr double max_frame = 1e15;
constexpr std::string_view header = "frame,joint,x_m,y_m,z_m";

struct Entry {
  std::int64_t frame;
  std::uint32_t column;
  Vec3 position;
};

// Cuts off the text up to the next comma; a missing comma is a ParseError.
std::string_view field(TextScanner& scan, std::string_view& rest, bool last) {
  const std::size_t comma = rest.find(',');
  if ((comma == std::string_view::npos) != last) scan.fail("expected five fields: " + std::string(header));
  const std::string_view cut = rest.substr(0, comma);
  rest = last ? std::string_view() : rest.substr(comma + 1);
  return cut;
}

template <class T>
void append(std::string& text, T value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

}  // namespace

int JointTable::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

JointTable parse_joints_csv(std::string_view text, const std::string& file) {
  TextScanner scan(text, file);
  if (scan.rest_of_line() != header) scan.fail("expected the header \"" + std::string(header) + "\"");
  JointTable table;
  std::map<std::string, std::uint32_t, std::less<>> columns;
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')));
  while (!scan.at_end()) {
    std::string_view rest = scan.rest_of_line();
    Entry entry{};
    const double frame = scan.to_number(field(scan, rest, false), "a frame");
    if (frame != std::floor(frame) || std::abs(frame) > max_frame) scan.fail("a frame is a whole number");
    entry.frame = static_cast<std::int64_t>(frame);
    const std::string_view name = field(scan, rest, false);
    if (name.empty()) scan.fail("expected the name of a joint");
    for (float* value : {&entry.position.x, &entry.position.y, &entry.position.z}) {
      const double number = scan.to_number(field(scan, rest, value == &entry.position.z), "a position");
      if (std::abs(number) > double{std::numeric_limits<float>::max()}) {
        scan.fail("a position is too large for a float");
      }
      *value = static_cast<float>(number);
    }
    const auto [column, is_new] =
        columns.try_emplace(std::string(name), static_cast<std::uint32_t>(table.names.size()));
    if (is_new) table.names.emplace_back(name);
    if (table.names.size() > JointTable::max_joints) {
      scan.fail("more than " + std::to_string(JointTable::max_joints) + " joints");
    }
    entry.column = column->second;
    entries.push_back(entry);
    if (table.frames.empty() || table.frames.back() != entry.frame) table.frames.push_back(entry.frame);
  }
  std::ranges::sort(table.frames);
  table.frames.erase(std::unique(table.frames.begin(), table.frames.end()), table.frames.end());
  // So that the table is not much larger than the file.
  constexpr std::size_t places_per_line = 4, small_table = 100'000;
  if (table.frames.size() * table.names.size() > places_per_line * entries.size() + small_table) {
    throw ParseError(file, 0, 0,
                     std::to_string(entries.size()) + " lines are too few for " +
                         std::to_string(table.frames.size()) + " frames of " +
                         std::to_string(table.names.size()) + " joints: more than three of four are missing");
  }
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  table.joints.assign(table.frames.size() * table.names.size(), {none, none, none});
  for (const Entry& entry : entries) {
    const auto row =
        static_cast<std::size_t>(std::ranges::lower_bound(table.frames, entry.frame) - table.frames.begin());
    Vec3& position = table.joints[row * table.names.size() + entry.column];
    if (!std::isnan(position.x)) {
      throw ParseError(file, 0, 0,
                       "joint " + shown(table.names[entry.column]) + " stands twice in frame " +
                           std::to_string(entry.frame));
    }
    position = entry.position;
  }
  return table;
}

JointTable read_joints_csv(const std::filesystem::path& path) {
  return parse_joints_csv(read_text(path), path.string());
}

std::string to_csv(const JointTable& table) {
  require(table.joints.size() == table.frames.size() * table.names.size(), "a table of ", table.frames.size(),
          " frames and ", table.names.size(), " joints cannot hold ", table.joints.size(), " positions");
  std::string text(header);
  text += '\n';
  for (std::size_t row = 0; row < table.frames.size(); ++row) {
    for (std::size_t column = 0; column < table.names.size(); ++column) {
      const Vec3& position = table.row(row)[column];
      if (std::isnan(position.x)) continue;
      append(text, table.frames[row]);
      text += ',' + table.names[column];
      for (const float value : {position.x, position.y, position.z}) {
        text += ',';
        append(text, value);
      }
      text += '\n';
    }
  }
  return text;
}

void write_joints_csv(const std::filesystem::path& path, const JointTable& table) {
  write_file_atomically(path, to_csv(table));
}

void write_poses_csv(const std::filesystem::path& path, const Skeleton& skeleton, const Motion& motion,
                     std::int64_t first_frame) {
  require(std::abs(static_cast<double>(first_frame)) <= max_frame, "a first_frame of ", first_frame,
          " is out of range");
  JointTable table;
  for (const Joint& joint : skeleton.joints()) table.names.push_back(joint.name);
  for (std::int64_t i = 0; i < motion.size(); ++i) table.frames.push_back(first_frame + i);
  table.joints.resize(table.names.size() * table.frames.size());
  pose_cpu(skeleton, motion.view(), {table.joints.data(), motion.size(), skeleton.joint_count()}, {});
  write_joints_csv(path, table);
}

void write_poses_bvh(const std::filesystem::path& path, const Skeleton& skeleton, const Motion& motion,
                     double metres_per_unit) {
  write_bvh(path, to_bvh(skeleton, motion, metres_per_unit));
}

}  // namespace triptych::capsule_likelihood
