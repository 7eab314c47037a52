// Poses in files: the positions of joints as CSV (frame,joint,x_m,y_m,z_m), poses as BVH.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/motion.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/error.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood {

// The positions of named joints in some frames.
struct JointTable {
  static constexpr std::size_t max_joints = 4096;  // that a file may name

  std::vector<std::string> names;    // of the columns
  std::vector<std::int64_t> frames;  // of the rows, rising
  std::vector<Vec3> joints;          // row by row; NaN where the file has none

  // -1 when there is none of that name.
  int find(std::string_view name) const;
  // InvalidArgument when there is no such row.
  std::span<const Vec3> row(std::size_t i) const {
    require(i < frames.size() && joints.size() == frames.size() * names.size(), "row ", i,
            " is not one of a table of ", frames.size(), " frames, ", names.size(), " joints and ",
            joints.size(), " positions");
    return std::span(joints).subspan(i * names.size(), names.size());
  }
};

// ParseError with the line and the reason when a line is not frame,joint,x,y,z with finite numbers, a joint
// occurs twice in a frame, the first line is not the header, there are more than max_joints names, or more
// than three of four positions are missing in a table of over 100,000.
JointTable parse_joints_csv(std::string_view text, const std::string& file);
JointTable read_joints_csv(const std::filesystem::path& path);

// One line for each joint of each row. Digits enough to read the same floats back. Files are replaced
// atomically.
std::string to_csv(const JointTable& table);
void write_joints_csv(const std::filesystem::path& path, const JointTable& table);

// The frames are numbered first_frame, first_frame + 1, ... (up to 10^15 either way). InvalidArgument when
// the poses do not fit the skeleton; of BVH, also as to_bvh.
void write_poses_csv(const std::filesystem::path& path, const Skeleton& skeleton, const Motion& motion,
                     std::int64_t first_frame = 0);
void write_poses_bvh(const std::filesystem::path& path, const Skeleton& skeleton, const Motion& motion,
                     double metres_per_unit = 1);

}  // namespace triptych::capsule_likelihood
