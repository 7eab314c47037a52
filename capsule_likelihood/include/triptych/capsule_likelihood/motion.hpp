// Motion: the poses of a skeleton over time.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/matrix_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

struct Motion {
  int pose_size = 0;  // floats per pose: Skeleton::pose_size()
  double frame_time_s = 1.0 / 30;
  std::vector<float> values = {};  // pose after pose

  std::int64_t size() const {
    return pose_size > 0 ? static_cast<std::int64_t>(values.size()) / pose_size : 0;
  }
  bool empty() const { return size() == 0; }
  // Pose i; InvalidArgument unless 0 <= i < size().
  std::span<float> pose(std::int64_t i) { return std::span(values).subspan(begin_of(i), floats()); }
  std::span<const float> pose(std::int64_t i) const {
    return std::span(values).subspan(begin_of(i), floats());
  }
  // One pose per row. Valid while the motion lives and its size stays.
  MatrixView<float> view() { return {values.data(), size(), pose_size}; }
  MatrixView<const float> view() const { return {values.data(), size(), pose_size}; }
  // InvalidArgument when the pose has another size.
  void push_back(std::span<const float> pose) {
    require(static_cast<std::int64_t>(pose.size()) == pose_size, "a motion of poses of ", pose_size,
            " numbers cannot take one of ", pose.size());
    values.insert(values.end(), pose.begin(), pose.end());
  }

  friend bool operator==(const Motion&, const Motion&) = default;

 private:
  std::size_t floats() const { return static_cast<std::size_t>(pose_size); }
  std::size_t begin_of(std::int64_t i) const {
    require(i >= 0 && i < size(), "pose ", i, " is not one of the ", size(), " of a motion");
    return static_cast<std::size_t>(i) * floats();
  }
};

}  // namespace triptych::capsule_likelihood
