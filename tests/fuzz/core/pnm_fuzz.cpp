// parse_pnm(): headers of PGM, PPM and PFM images. The samples are inside the input.
#include <triptych/core/pnm.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  const std::string_view bytes = fuzz::text_of(data, size);
  for (const std::string_view magics : {"P5", "P5 P6", "P5 P6 Pf PF"}) {
    fuzz::only_errors([&] {
      const PnmImage image = parse_pnm(bytes, "file", magics, "expected another format");
      const std::int64_t sample_bytes = image.largest == 0 ? 4 : image.largest > 255 ? 2 : 1;
      const bool inside = image.samples.data() >= bytes.data() &&
                          image.samples.data() + image.samples.size() <= bytes.data() + bytes.size();
      const std::int64_t needed = image.width * image.height * image.channels * sample_bytes;
      if (!inside || static_cast<std::int64_t>(image.samples.size()) != needed) std::abort();
    });
  }
  return 0;
}
