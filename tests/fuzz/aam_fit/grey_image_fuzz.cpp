// PGM and PPM files, read as grey.
#include <triptych/aam_fit/landmark_file.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  fuzz::only_errors([&] {
    const Image<Grey8> image = aam_fit::read_pnm(fuzz::file_of(data, size));
    if (image.pixels.size() != static_cast<std::size_t>(image.width * image.height)) std::abort();
  });
  return 0;
}
