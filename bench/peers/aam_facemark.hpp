// OpenCV's FacemarkAAM behind a plain interface: trained once, then fitted from starts that are the mean
// shape moved and scaled, which is all that it takes. No OpenCV in this header.
#pragma once

#include <triptych/aam_fit/train.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace triptych::bench {

struct FacemarkOptions {
  int shape_modes = 10;          // its n, beside four of the pose
  int texture_modes = 50;        // its m
  std::vector<float> scales{1};  // of its reference frames: the mean face shrunk by these
};

class Facemark {
 public:
  // The model passes through a file in this folder, which FacemarkAAM needs, and is read back from it.
  Facemark(std::span<const aam_fit::Example> examples, const FacemarkOptions& options,
           const std::filesystem::path& folder);
  Facemark(Facemark&&) noexcept;
  Facemark& operator=(Facemark&&) noexcept;
  ~Facemark();

  const aam_fit::Shape& mean() const;
  std::int64_t pixels(int scale) const;  // of the texture that is compared
  int texture_modes(int scale) const;    // those that training left
  int shape_modes() const;

  // From a moved and scaled mean shape. A fit that OpenCV gives up with an exception ends where it began.
  aam_fit::Shape fit(const Image<Grey8>& image, const aam_fit::Shape& start, int scale, int iterations);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::bench
