// Depth and disparity images as sensors and data sets store them: PGM and PFM.
#pragma once

#include <triptych/core/image_view.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::capsule_likelihood {

// Rows from the top.
template <class T>
struct HostImage {
  std::int64_t width = 0, height = 0;
  std::vector<T> pixels;
  ImageView<const T> view() const { return {pixels.data(), width, height}; }
};

// PGM, binary (P5), 8 or 16 bits. ParseError with the line and the reason.
HostImage<std::uint16_t> parse_pgm(std::string_view bytes, const std::string& file);
HostImage<std::uint16_t> read_pgm(const std::filesystem::path& path);
// PFM, one channel (Pf). ParseError with the line and the reason.
HostImage<float> parse_pfm(std::string_view bytes, const std::string& file);
HostImage<float> read_pfm(const std::filesystem::path& path);

}  // namespace triptych::capsule_likelihood
