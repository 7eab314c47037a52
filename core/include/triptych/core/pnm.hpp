// Headers of binary PGM, PPM and PFM images. The modules convert the samples to their own pixel types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace triptych {

struct PnmImage {
  std::string_view magic;  // P5: grey, P6: colour, Pf: one float, PF: three
  std::int64_t width = 0, height = 0;
  int channels = 1;
  std::int64_t largest = 0;  // the largest value, 1..65535; above 255 the samples have two bytes, big-endian
  double scale = 0;          // of Pf and PF, whose rows begin at the bottom; negative: little-endian
  std::string_view samples;  // the bytes of all samples
};

// bytes must outlive the result. magics: the formats that the caller supports, separated by spaces; expected:
// the error message for other formats. ParseError with the line and the reason. Width and height are at most
// 2^20, the number of pixels at most 2^31.
PnmImage parse_pnm(std::string_view bytes, const std::string& file, std::string_view magics,
                   const std::string& expected);

}  // namespace triptych
