// Reads and writes BVH files.
#include <triptych/capsule_likelihood/bvh.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "body/io/check_bvh.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr std::array<std::string_view, 6> channel_names = {"Xposition", "Yposition", "Zposition",
                                                           "Xrotation", "Yrotation", "Zrotation"};

bool same_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char p, char q) { return lower(p) == lower(q); });
}

class BvhParser {
 public:
  BvhParser(std::string_view text, const std::string& file) : text_(text), scan_(text, file) {}

  Bvh parse() {
    expect_keyword("HIERARCHY");
    expect_keyword("ROOT");
    read_hierarchy();
    const std::string_view next = scan_.word();
    if (same_ignoring_case(next, "ROOT")) scan_.fail("a second ROOT: files with several bodies are not read");
    if (!same_ignoring_case(next, "MOTION")) {
      scan_.fail("expected \"MOTION\", found " + scan_.describe(next));
    }
    read_motion();
    return std::move(bvh_);
  }

 private:
  void expect_keyword(std::string_view keyword) {
    const std::string_view found = scan_.word();
    if (!same_ignoring_case(found, keyword)) {
      scan_.fail("expected \"" + std::string(keyword) + "\", found " + scan_.describe(found));
    }
  }

  // After "ROOT" or "JOINT": the name, which may hold spaces, and the brace, which may stand in the same
  // line.
  void open_joint(int parent) {
    std::string_view name = scan_.rest_of_line();
    bool brace = false;
    if (!name.empty() && name.back() == '{') {
      brace = true;
      name.remove_suffix(1);
      while (!name.empty() && TextScanner::is_space(name.back())) name.remove_suffix(1);
    }
    if (name.empty() || name.back() == '{') scan_.fail("expected the name of a joint");
    if (bvh_.joints.size() == Skeleton::max_joints) {
      scan_.fail("more than " + std::to_string(Skeleton::max_joints) + " joints");
    }
    BvhJoint joint;
    joint.name = name;
    joint.parent = parent;
    bvh_.joints.push_back(std::move(joint));
    offset_seen_.push_back(false);
    channels_seen_.push_back(false);
    if (!brace) scan_.expect("{");
  }

  std::array<double, 3> read_offset() {
    std::array<double, 3> offset;
    for (double& value : offset) {
      value = scan_.number("an offset");
      if (std::abs(value) > max_bvh_length) scan_.fail("an offset is beyond 1e9");
    }
    return offset;
  }

  void read_channels(std::size_t joint) {
    if (channels_seen_[joint]) scan_.fail("joint " + bvh_.joints[joint].name + " has CHANNELS twice");
    channels_seen_[joint] = true;
    const std::int64_t count = scan_.count("the number of channels");
    if (count > 6) scan_.fail("a joint has at most 6 channels");
    std::vector<BvhChannel>& channels = bvh_.joints[joint].channels;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string_view name = scan_.word();
      const auto found = std::ranges::find_if(
          channel_names, [&](std::string_view known) { return same_ignoring_case(known, name); });
      if (found == channel_names.end()) {
        scan_.fail("expected a channel such as Xposition or Zrotation, found " + scan_.describe(name));
      }
      const auto channel = static_cast<BvhChannel>(found - channel_names.begin());
      if (std::ranges::find(channels, channel) != channels.end()) {
        scan_.fail("channel " + std::string(*found) + " stands twice in a joint");
      }
      channels.push_back(channel);
    }
  }

  void read_end_site(std::size_t joint) {
    const std::string_view site = scan_.word();
    if (!same_ignoring_case(site, "Site")) scan_.fail("expected \"Site\", found " + scan_.describe(site));
    scan_.expect("{");
    expect_keyword("OFFSET");
    bvh_.joints[joint].end_sites.push_back(read_offset());
    scan_.expect("}");
  }

  void read_hierarchy() {
    open_joint(-1);
    std::vector<std::size_t> open = {0};
    while (!open.empty()) {
      const std::size_t joint = open.back();
      const std::string_view word = scan_.word();
      if (same_ignoring_case(word, "OFFSET")) {
        if (offset_seen_[joint]) scan_.fail("joint " + bvh_.joints[joint].name + " has OFFSET twice");
        offset_seen_[joint] = true;
        bvh_.joints[joint].offset = read_offset();
      } else if (same_ignoring_case(word, "CHANNELS")) {
        read_channels(joint);
      } else if (same_ignoring_case(word, "JOINT")) {
        open.push_back(bvh_.joints.size());
        open_joint(static_cast<int>(joint));
      } else if (same_ignoring_case(word, "End")) {
        read_end_site(joint);
      } else if (word == "}") {
        if (!offset_seen_[joint]) scan_.fail("joint " + bvh_.joints[joint].name + " has no OFFSET");
        open.pop_back();
      } else {
        scan_.fail("expected OFFSET, CHANNELS, JOINT, End Site or \"}\" in joint " +
                   shown(bvh_.joints[joint].name) + ", found " + scan_.describe(word));
      }
    }
  }

  void read_motion() {
    const std::string_view word = scan_.word();
    if (!same_ignoring_case(word, "Frames:")) {
      scan_.fail("expected \"Frames:\", found " + scan_.describe(word));
    }
    const std::int64_t frames = scan_.count("the number of frames");
    expect_keyword("Frame");
    expect_keyword("Time:");
    bvh_.frame_time_s = scan_.number("the time of a frame in seconds");
    if (!(bvh_.frame_time_s > 0)) scan_.fail("the time of a frame must be above 0");
    if (!detail::is_bvh_time(bvh_.frame_time_s)) scan_.fail("the time of a frame must be 1e-6 to 1e6 s");
    std::vector<BvhChannel> kinds;
    for (const BvhJoint& joint : bvh_.joints)
      kinds.insert(kinds.end(), joint.channels.begin(), joint.channels.end());
    const int channels = bvh_.channel_count();
    // A number takes at least two bytes of the text, whatever "Frames:" promises.
    const std::size_t max_values = (text_.size() - scan_.position()) / 2 + 1;
    if (frames < static_cast<std::int64_t>(max_values)) {
      bvh_.motion.reserve(std::min(max_values, static_cast<std::size_t>(frames * channels)));
    }
    for (std::int64_t frame = 0; channels > 0 && frame < frames; ++frame) {
      if (scan_.at_end()) {
        scan_.word();
        scan_.fail("the motion ends after " + std::to_string(frame) + " of " + std::to_string(frames) +
                   " frames");
      }
      for (int i = 0; i < channels; ++i) {
        const std::string_view value = scan_.word_in_line();
        if (value.empty()) {
          scan_.fail("frame " + std::to_string(frame) + " has " + std::to_string(i) + " numbers instead of " +
                     std::to_string(channels));
        }
        const BvhChannel kind = kinds[static_cast<std::size_t>(i)];
        bvh_.motion.push_back(scan_.to_number(value, "a channel's value"));
        if (!detail::is_bvh_value(kind, bvh_.motion.back())) {
          scan_.fail(is_rotation(kind) ? "an angle is beyond 360,000 degrees" : "a length is beyond 1e9");
        }
      }
      if (!scan_.word_in_line().empty()) {
        scan_.fail("frame " + std::to_string(frame) + " has more numbers than the " +
                   std::to_string(channels) + " channels");
      }
    }
    if (!scan_.word().empty()) {
      scan_.fail("more follows the " + std::to_string(frames) + " frames that \"Frames:\" promises");
    }
  }

  std::string_view text_;
  TextScanner scan_;
  Bvh bvh_;
  std::vector<bool> offset_seen_, channels_seen_;
};

void append_number(std::string& text, double value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

void append_offset(std::string& text, const std::string& indent, const std::array<double, 3>& offset) {
  text += indent + "OFFSET";
  for (const double value : offset) {
    text += ' ';
    append_number(text, value);
  }
  text += '\n';
}

void append_joint(std::string& text, const Bvh& bvh, std::size_t index, int depth) {
  const BvhJoint& joint = bvh.joints[index];
  const std::string indent(static_cast<std::size_t>(depth), '\t');
  text += indent + (index == 0 ? "ROOT " : "JOINT ") + joint.name + "\n" + indent + "{\n";
  append_offset(text, indent + "\t", joint.offset);
  text += indent + "\tCHANNELS " + std::to_string(joint.channels.size());
  for (const BvhChannel channel : joint.channels) {
    text += ' ';
    text += channel_names[static_cast<std::size_t>(channel)];
  }
  text += '\n';
  for (std::size_t child = index + 1; child < bvh.joints.size(); ++child) {
    if (bvh.joints[child].parent == static_cast<int>(index)) append_joint(text, bvh, child, depth + 1);
  }
  for (const auto& end : joint.end_sites) {
    text += indent + "\tEnd Site\n";
    text += indent + "\t{\n";
    append_offset(text, indent + "\t\t", end);
    text += indent + "\t}\n";
  }
  text += indent + "}\n";
}

}  // namespace

int Bvh::channel_count() const {
  std::size_t count = 0;
  for (const BvhJoint& joint : joints) count += joint.channels.size();
  return static_cast<int>(count);
}

int Bvh::frame_count() const {
  const int channels = channel_count();
  return channels == 0 ? 0 : static_cast<int>(motion.size() / static_cast<std::size_t>(channels));
}

std::span<const double> Bvh::frame(int frame) const {
  require(frame >= 0 && frame < frame_count(), "frame ", frame, " is not one of the ", frame_count(),
          " of the motion");
  const auto channels = static_cast<std::size_t>(channel_count());
  return std::span(motion).subspan(static_cast<std::size_t>(frame) * channels, channels);
}

Bvh parse_bvh(std::string_view text, const std::string& file) { return BvhParser(text, file).parse(); }

Bvh read_bvh(const std::filesystem::path& path) { return parse_bvh(read_text(path), path.string()); }

std::string to_text(const Bvh& bvh) {
  detail::check_bvh(bvh);
  for (const BvhJoint& joint : bvh.joints) {
    require(!joint.name.empty() && joint.name.back() != '{' && joint.name.find('\n') == std::string::npos &&
                !TextScanner::is_space(joint.name.front()) && !TextScanner::is_space(joint.name.back()),
            "the name ", shown(joint.name), " of a joint cannot stand in a BVH file");
  }
  std::string text = "HIERARCHY\n";
  append_joint(text, bvh, 0, 0);
  text += "MOTION\nFrames: " + std::to_string(bvh.frame_count()) + "\nFrame Time: ";
  append_number(text, bvh.frame_time_s);
  text += '\n';
  const int channels = bvh.channel_count();
  for (int frame = 0; frame < bvh.frame_count(); ++frame) {
    const std::span<const double> values = bvh.frame(frame);
    for (int i = 0; i < channels; ++i) {
      if (i > 0) text += ' ';
      append_number(text, values[static_cast<std::size_t>(i)]);
    }
    text += '\n';
  }
  return text;
}

void write_bvh(const std::filesystem::path& path, const Bvh& bvh) {
  write_file_atomically(path, to_text(bvh));
}

}  // namespace triptych::capsule_likelihood
