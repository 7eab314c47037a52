// BVH files (Biovision hierarchy): the joints, their channels and the motion, unchanged from the file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood {

enum class BvhChannel { x_position, y_position, z_position, x_rotation, y_rotation, z_rotation };

constexpr bool is_rotation(BvhChannel channel) { return channel >= BvhChannel::x_rotation; }
// 0, 1, 2 for x, y, z.
constexpr int axis_of(BvhChannel channel) { return static_cast<int>(channel) % 3; }

// The range of lengths (in the file's unit) and of angles, which keep their precision within it.
inline constexpr double max_bvh_length = 1e9, max_bvh_degrees = 360'000;

struct BvhJoint {
  std::string name;
  int parent = -1;                               // before this joint; -1: the root, joint 0
  std::array<double, 3> offset = {};             // in the file's unit of length
  std::vector<BvhChannel> channels;              // each at most once, in the order of the file
  std::vector<std::array<double, 3>> end_sites;  // ends of bones without a joint

  friend bool operator==(const BvhJoint&, const BvhJoint&) = default;
};

struct Bvh {
  std::vector<BvhJoint> joints;
  double frame_time_s = 1.0 / 30;
  // Frame by frame the channels of all joints, joint by joint: lengths in the file's unit, angles in degrees.
  std::vector<double> motion;

  int channel_count() const;
  int frame_count() const;
  // The channels of one frame, or of a joint in it. InvalidArgument when there is no such frame.
  std::span<const double> frame(int frame) const;

  friend bool operator==(const Bvh&, const Bvh&) = default;
};

// ParseError with the line and the reason for anything that is not a BVH file with one root, each channel of
// a joint once, one number per channel in every frame, lengths and angles within max_bvh_length and
// max_bvh_degrees, and a frame time from 10^-6 to 10^6 s. Tabs, CRLF and blank lines are accepted.
Bvh parse_bvh(std::string_view text, const std::string& file);
// Error when the file cannot be read.
Bvh read_bvh(const std::filesystem::path& path);

// InvalidArgument for a Bvh that parse_bvh would not give.
std::string to_text(const Bvh& bvh);
// Replaces the file atomically; Error when that fails.
void write_bvh(const std::filesystem::path& path, const Bvh& bvh);

}  // namespace triptych::capsule_likelihood
