// Depth and disparity images as sensors and data sets store them: PGM and PFM.
#pragma once

#include <triptych/core/image.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace triptych::capsule_likelihood {

// PGM, binary (P5), 8 or 16 bits. ParseError with the line and the reason.
Image<std::uint16_t> parse_pgm(std::string_view bytes, const std::string& file);
Image<std::uint16_t> read_pgm(const std::filesystem::path& path);
// PFM, one channel (Pf). ParseError with the line and the reason.
Image<float> parse_pfm(std::string_view bytes, const std::string& file);
Image<float> read_pfm(const std::filesystem::path& path);

}  // namespace triptych::capsule_likelihood
