#include <common/program.hpp>

#include <optional>

#include "batch.hpp"
#include "options.hpp"
#include "run.hpp"

namespace triptych::skin_demo {

namespace {

Options parsed(const apps::Words& line) {
  const std::optional<Options> options = apps::with_arguments(program_name, line, parse_options);
  if (!options || options->evaluate)
    throw apps::UsageError("a line follows a head: it takes no evaluate, --help or --version");
  return *options;
}

}  // namespace

apps::BatchProgram batch_program() {
  return {.name = program_name,
          .example = "  clips/anna.mp4\n  clips/ben.mp4 --calibrate 300,120,160,200 --gate\n",
          .complete =
              [](apps::Words line) {
                if (!line.front().starts_with('-')) line.insert(line.begin(), "--input");
                return line;
              },
          .outputs = [](const apps::Words&, const std::filesystem::path& folder) -> apps::Words {
            return {"--out",     folder.string(),
                    "--csv",     (folder / "track.csv").string(),
                    "--json",    (folder / "summary.json").string(),
                    "--headless"};
          },
          .check = [](const apps::Words& line) { parsed(line); },
          .run = [](const apps::Words& line) { run(parsed(line)); },
          .merged = {}};
}

}  // namespace triptych::skin_demo
