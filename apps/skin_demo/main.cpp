// skin_demo: where the head is in a colour video, in microseconds a frame; see --help.
#include <common/program.hpp>

#include <optional>

#include "batch.hpp"
#include "evaluate.hpp"
#include "options.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
  using namespace triptych::skin_demo;
  return triptych::apps::run_program(program_name, [&] {
    if (triptych::apps::batch_command(batch_program(), argc, argv)) return;
    const std::optional<Options> options = parse_options(argc, argv);
    if (!options) return;
    if (options->evaluate) {
      evaluate(*options);
    } else {
      run(*options);
    }
  });
}
