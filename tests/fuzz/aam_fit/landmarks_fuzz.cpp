// Landmark files: .pts, and after a first byte of 'a' .asf.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/aam_fit/reference_frame.hpp>

#include <cmath>
#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  using namespace triptych::aam_fit;
  fuzz::only_errors([&] {
    const std::string_view text = fuzz::text_of(data, size);
    const Shape shape = text.starts_with('a') ? parse_asf(text.substr(1), "fuzz").relative
                                              : parse_pts(text, "fuzz", text.ends_with('\n'));
    for (const Point p : shape)
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) std::abort();
    if (shape.size() > 100) return;
    const std::vector<Triangle> triangles = triangulate(shape);
    if (make_reference_frame(shape, triangles, {.pixels = 64, .margin = 0.1}).size() != 64) std::abort();
  });
  return 0;
}
