// Elements that start at a cache line, zero at first.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace triptych::aam_fit {

template <class T>
class AlignedArray {
  static constexpr std::align_val_t line{64};
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, line); }
  };

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : elements_(static_cast<T*>(::operator new[](size * sizeof(T), line))), size_(size) {
    std::uninitialized_value_construct_n(elements_.get(), size);
  }
  T* data() { return elements_.get(); }
  const T* data() const { return elements_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  std::unique_ptr<T[], Free> elements_;
  std::size_t size_ = 0;
};

}  // namespace triptych::aam_fit
