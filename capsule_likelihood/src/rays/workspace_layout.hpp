// Divides a workspace into arrays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triptych::capsule_likelihood {

// Takes arrays from a workspace, one after the other; without memory it only counts the bytes.
class WorkspaceLayout {
 public:
  explicit WorkspaceLayout(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::int64_t count) {
    std::byte* piece = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace triptych::capsule_likelihood
