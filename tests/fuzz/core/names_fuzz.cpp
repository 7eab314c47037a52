// parse_pixel_format(), and shown(), which quotes any text for a message.
#include <triptych/core/pixel.hpp>
#include <triptych/core/text_scanner.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::only_errors([&] {
    if (to_string(parse_pixel_format(text)) != text) std::abort();
  });
  if (shown(text).size() > 45) std::abort();
  return 0;
}
