// Headers of binary PGM, PPM and PFM images, which modules read each into pixels of its own kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace triptych {

struct PnmImage {
  std::string_view magic;  // P5: grey, P6: colour, Pf: one float, PF: three
  std::int64_t width = 0, height = 0;
  int channels = 1;
  std::int64_t largest = 0;  // value, 1..65535; above 255 the samples have two bytes, the high one first
  double scale = 0;          // of Pf and PF: below 0 when the low byte comes first; rows then from the bottom
  std::string_view samples;  // their bytes, as many as the sizes ask for
};

// bytes outlive what is returned. magics: those the caller takes, with spaces between; expected: what to say
// when it is another. ParseError with the line and the reason; sizes are at most 2^20, 2^31 pixels in all.
PnmImage parse_pnm(std::string_view bytes, const std::string& file, std::string_view magics,
                   const std::string& expected);

}  // namespace triptych
