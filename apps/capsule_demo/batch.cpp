#include <common/program.hpp>

#include <optional>

#include "batch.hpp"
#include "options.hpp"
#include "run.hpp"

namespace triptych::capsule_demo {

namespace {

Options parsed(const apps::Words& line) {
  const std::optional<Options> options = apps::with_arguments(program_name, line, parse_options);
  if (!options) throw apps::UsageError("a line follows a body: it takes no --help or --version");
  return *options;
}

}  // namespace

apps::BatchProgram batch_program() {
  return {.name = program_name,
          .example = "  motions/walk.bvh\n  --depth recordings/anna --intrinsics 285.6,285.6,160,120\n",
          .complete =
              [](apps::Words line) {
                const std::filesystem::path input = line.front();
                if (!line.front().starts_with('-'))
                  line.insert(line.begin(), input.extension() == ".bvh" ? "--motion" : "--cloud");
                return line;
              },
          .outputs = [](const apps::Words&, const std::filesystem::path& folder) -> apps::Words {
            return {"--out", folder.string(), "--json", (folder / "summary.json").string(), "--headless"};
          },
          .check = [](const apps::Words& line) { parsed(line); },
          .run = [](const apps::Words& line) { run(parsed(line)); },
          .merged = {}};
}

}  // namespace triptych::capsule_demo
