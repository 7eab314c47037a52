// TextScanner: the first byte of the input selects the calls, the rest is the text.
#include <triptych/core/text_scanner.hpp>

#include <cmath>
#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  if (size == 0) return 0;
  unsigned calls = data[0] | 0x100u;
  TextScanner scan(fuzz::text_of(data + 1, size - 1), "file");
  while (!scan.at_end()) {
    const std::size_t before = scan.position();
    fuzz::only_errors([&] {
      switch (calls & 7u) {
        case 0:
          scan.word();
          break;
        case 1:
          scan.word_past_comments();
          break;
        case 2:
          scan.word_in_line();
          break;
        case 3:
          scan.rest_of_line();
          break;
        case 4:
          if (!std::isfinite(scan.number("a number"))) std::abort();
          break;
        case 5:
          if (scan.count("a count") < 0) std::abort();
          break;
        case 6:
          scan.expect("word");
          break;
        default:
          scan.word();
          scan.back();
          scan.number_in_line("a number");
          break;
      }
    });
    if (scan.position() <= before) std::abort();  // every call moves on
    calls = calls > 7 ? calls >> 3 : data[0] | 0x100u;
  }
  fuzz::only_errors([&] { scan.fail("at the end"); });
  return 0;
}
