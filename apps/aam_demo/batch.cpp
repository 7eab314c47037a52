#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/summary.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "batch.hpp"
#include "commands.hpp"
#include "evaluation.hpp"

namespace triptych::aam_demo {

namespace {

namespace fs = std::filesystem;

Options parsed(const apps::Words& line) {
  const std::optional<Options> options = apps::with_arguments(program_name, line, parse_options);
  if (!options || (options->command != Command::fit && options->command != Command::evaluate))
    throw apps::UsageError("a line is an input of fit, or begins with fit or evaluate");
  return *options;
}

// The table of a whole evaluation, of the results of its shards.
void merge_evaluation(const apps::MergedShards& merged, const fs::path& folder) {
  Evaluation evaluation(merged.inputs);
  for (const Json& entry : merged.entries) {
    const auto result = entry.find("result");
    if (result == entry.end() || !result->contains("fits")) return;  // of batch
    evaluation.add(rows_from_json(*result, at<std::string>(entry, "name", folder.string()), folder.string()));
  }
  apps::Outputs outputs;
  outputs.write(outputs.add(folder / "fits.csv"), evaluation.csv());
  outputs.write(outputs.add(folder / "summary.json"), apps::summary_text(evaluation.json()));
  outputs.commit();
  std::printf("%s", evaluation.table().c_str());
}

}  // namespace

apps::BatchProgram batch_program() {
  return {.name = program_name,
          .example = "  photos/anna.jpg\n  fit videos/ben.mp4 --init 60,40,130,140\n",
          .complete =
              [](apps::Words line) {
                if (line.front() != "fit" && line.front() != "evaluate") line.insert(line.begin(), "fit");
                return line;
              },
          .outputs = [](const apps::Words& line, const fs::path& folder) -> apps::Words {
            if (line.front() == "fit") return {"--out", folder.string(), "--headless"};
            return {"--json", (folder / "summary.json").string(), "--csv", (folder / "fits.csv").string()};
          },
          .check = [](const apps::Words& line) { parsed(line); },
          .run =
              [](const apps::Words& line) {
                const Options options = parsed(line);
                if (options.command == Command::fit) return fit_input(options);
                evaluate(options);
              },
          .merged = merge_evaluation};
}

}  // namespace triptych::aam_demo
