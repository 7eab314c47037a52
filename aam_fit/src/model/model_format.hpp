// The layout of a model file, little endian:
//
//    0  8 bytes  89 'A' 'A' 'M' 0d 0a 1a 0a: shows when a copy has changed line ends or lost the eighth bit
//    8  4 bytes  version, 1 to 4
//   12  4 bytes  header_bytes
//   16  8 bytes  bytes of the whole file
//   24  8 bytes  checksum of the header
//   32           the header, JSON, header_bytes of it; then zeros up to a multiple of 64
//                blobs, each at a multiple of 64, zeros between; no more after the last
//
// The header says for each array its offset, its number of elements and its checksum. Its members appearance,
// calibration, face_classifier (since version 2; its level since 4) and refinement (since version 3) may be
// missing.
#pragma once

#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/json.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace triptych::aam_fit {

constexpr std::uint32_t model_file_version = 4;
constexpr std::size_t model_file_alignment = 64, model_file_prefix = 32;

// The model in the bytes of a file, which must lie at a multiple of 64 and be kept by owner; file: for
// errors. ParseError with the reason.
Model decode_model(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                   const std::string& file);

// Prefix and padding around a header; blobs: what stands behind it, its first byte at a multiple of 64.
std::string seal(const std::string& header, const std::string& blobs);
// Offsets in a header count from here: headers of different lengths can refer to the same blobs.
std::size_t blobs_begin(std::size_t header_bytes);

}  // namespace triptych::aam_fit
