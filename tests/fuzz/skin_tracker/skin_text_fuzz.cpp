// The texts of command lines: parse_filter(), parse_frame_format(), parse_variant().
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

namespace {

using namespace triptych::skin_tracker;

void use(const LinearFilter& filter) {
  if (parse_filter(to_string(filter)) != filter) std::abort();
  for (const Channels channels : {Channels::rgb, Channels::yuv, Channels::yuv_video}) {
    triptych::fuzz::only_errors([&] {
      const FixedFilter fixed = fix(filter, channels);
      for (const int byte : {0, 1, 128, 255}) {
        const int w = fixed.weight(byte, 255 - byte, byte / 2);
        if (w < 0 || w > fixed_one || !(largest_error(fixed) > 0)) std::abort();
      }
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = triptych::fuzz::text_of(data, size);
  triptych::fuzz::only_errors([&] { use(parse_filter(text)); });
  triptych::fuzz::only_errors([&] {
    if (to_string(parse_frame_format(text)) != text) std::abort();
  });
  triptych::fuzz::only_errors([&] {
    if (to_string(parse_variant(text)) != text) std::abort();
  });
  return 0;
}
