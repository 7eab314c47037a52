// capsule_demo: where every limb of a moving body is, from clouds of stereo or depth points; see --help.
#include <common/program.hpp>

#include <optional>

#include "batch.hpp"
#include "options.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
  using namespace triptych::capsule_demo;
  return triptych::apps::run_program(program_name, [&] {
    if (triptych::apps::batch_command(batch_program(), argc, argv)) return;
    const std::optional<Options> options = parse_options(argc, argv);
    if (options) run(*options);
  });
}
