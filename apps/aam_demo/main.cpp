// aam_demo: trains active appearance models and finds landmarks with them; see --help.
#include <common/program.hpp>

#include <optional>

#include "batch.hpp"
#include "commands.hpp"

int main(int argc, char** argv) {
  using namespace triptych::aam_demo;
  return triptych::apps::run_program(program_name, [&] {
    if (triptych::apps::batch_command(batch_program(), argc, argv)) return;
    const std::optional<Options> options = parse_options(argc, argv);
    if (!options) return;
    switch (options->command) {
      case Command::show:
        return show(*options);
      case Command::train:
        return train_model(*options);
      case Command::fit:
        return fit_input(*options);
      case Command::evaluate:
        return evaluate(*options);
      case Command::info:
        return print_info(*options);
      case Command::modes:
        return draw_modes(*options);
      case Command::synth:
        return write_synthetic(*options);
      case Command::boxes:
        return measure_boxes(*options);
    }
  });
}
