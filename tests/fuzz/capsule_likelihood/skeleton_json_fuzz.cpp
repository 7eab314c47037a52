#include <triptych/capsule_likelihood/skeleton_file.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;
using fuzz::only_errors;

void read(std::string_view text) {
  static const Skeleton human = make_human();
  only_errors([&] {
    const Skeleton skeleton = parse_skeleton(text, "f");
    fuzz::use(skeleton);
    const std::string written = to_json(skeleton);
    demand(to_json(parse_skeleton(written, "again")) == written, "what is written is read");
  });
  only_errors([&] { fuzz::use(adjust_skeleton(human, text, "f")); });
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::text_of(data, size));
  return 0;
}
