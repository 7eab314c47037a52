#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;
using fuzz::only_errors;

void read(std::string_view text) {
  only_errors([&] {
    const JointTable table = parse_joints_csv(text, "f");
    const JointTable again = parse_joints_csv(to_csv(table), "again");
    demand(again.frames == table.frames && again.names.size() == table.names.size(),
           "what is written is read");
    if (table.frames.empty()) return;
    const FittedHuman human = fit_human(table.names, table.row(0));
    for (const float x : human.start.pose) demand(std::isfinite(x), "a pose is finite");
    demand(std::isfinite(human.start.mean_error_m), "an error is finite");
    fuzz::use(human.skeleton);
  });
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::text_of(data, size));
  return 0;
}
