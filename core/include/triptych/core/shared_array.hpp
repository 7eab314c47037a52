// SharedArray: a read-only array with shared ownership. Copies refer to the same elements, which belong to a
// vector or to a part of the bytes of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace triptych {

template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  // Takes ownership of the vector.
  SharedArray(std::vector<T> values)
      : SharedArray(std::make_shared<const std::vector<T>>(std::move(values))) {}
  // The elements must live as long as owner.
  SharedArray(std::span<const T> elements, std::shared_ptr<const void> owner)
      : elements_(elements), owner_(std::move(owner)) {}

  const T* data() const noexcept { return elements_.data(); }
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(elements_.size()); }
  bool empty() const noexcept { return elements_.empty(); }
  const T& operator[](std::int64_t i) const noexcept { return elements_[static_cast<std::size_t>(i)]; }
  auto begin() const noexcept { return elements_.begin(); }
  auto end() const noexcept { return elements_.end(); }
  std::span<const T> span() const noexcept { return elements_; }

 private:
  explicit SharedArray(std::shared_ptr<const std::vector<T>> values)
      : elements_(*values), owner_(std::move(values)) {}

  std::span<const T> elements_;
  std::shared_ptr<const void> owner_;
};

}  // namespace triptych
