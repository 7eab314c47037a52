// aam_demo evaluate.
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/version.hpp>

#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <common/shard_file.hpp>
#include <common/summary.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "commands.hpp"
#include "evaluation.hpp"
#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

namespace {

Fitter fitter_for(const Model& model, const std::vector<Example>& faces, const Options& options) {
  FitterOptions fitting = options.fitting;
  fitting.max_width = fitting.max_height = 16;
  for (const Example& face : faces) {
    fitting.max_width = std::max(fitting.max_width, static_cast<int>(face.image.width));
    fitting.max_height = std::max(fitting.max_height, static_cast<int>(face.image.height));
  }
  return Fitter(model, fitting, chosen_device(options));
}

// The images of the shard that have no result yet.
void evaluate_shard(const Options& options) {
  const Model model = load_model(options.model);
  const std::vector<Pair> pairs = face_files(options);
  std::string names;
  for (const Pair& pair : pairs) names += pair.image.filename().string() + "\n";
  apps::ShardFile file(options.out, options.shard,
                       {{"program", program_name},
                        {"version", version()},
                        {"inputs", pairs.size()},
                        {"list", apps::text_hash(names)},
                        {"options", {"evaluate", options.model.string(), options.images.string()}}});
  std::vector<Pair> mine;
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!options.shard.has(i) || file.finished(i)) continue;
    mine.push_back(pairs[i]);
    inputs.push_back(i);
  }
  apps::end_on_interrupt();
  if (!mine.empty()) {
    const std::vector<Example> faces = load_faces(mine);
    Fitter fitter = fitter_for(model, faces, options);
    apps::Progress progress(program_name, static_cast<int>(faces.size()), "faces");
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (apps::interrupted())
        throw apps::Interrupted("kept the results of " + std::to_string(i) + " of " +
                                std::to_string(mine.size()) + " faces in " + file.path().string() +
                                "; the same command goes on from there");
      file.add_result(inputs[i], faces[i].name, to_json(Evaluation::fit(fitter, faces[i])));
      progress.update(static_cast<int>(i) + 1);
    }
  }
  std::printf("aam_demo: shard %s: its results are in %s; when all shards are done, run aam_demo merge %s.\n",
              to_string(options.shard).c_str(), file.path().c_str(), options.out.c_str());
}

}  // namespace

void evaluate(const Options& options) {
  if (!options.out.empty()) return evaluate_shard(options);
  const Model model = load_model(options.model);
  const std::vector<Example> faces = load_faces(face_files(options));
  Fitter fitter = fitter_for(model, faces, options);
  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    const std::filesystem::path json = options.json.empty() ? options.json : outputs.add(options.json);
    const std::filesystem::path csv = options.csv.empty() ? options.csv : outputs.add(options.csv);
    const Evaluation evaluation = evaluate_faces(fitter, faces);
    std::printf("%s", evaluation.table().c_str());
    if (!csv.empty()) outputs.write(csv, evaluation.csv());
    if (!json.empty()) {
      Json all = evaluation.json();
      all["program"] = program_name;
      all["version"] = version();
      all["model"] = options.model.string();
      all["input"] = options.images.string();
      all["device"] = fitter.device().describe();
      outputs.write(json, apps::summary_text(all));
    }
    outputs.commit();
    std::printf("aam_demo: %zu faces from five starts each, with %s on %s.\n", evaluation.faces(),
                options.model.c_str(), fitter.device().describe().c_str());
    if (!evaluation.complete())
      throw apps::Interrupted("kept the results of " + std::to_string(evaluation.faces()) + " of " +
                              std::to_string(faces.size()) + " faces");
  });
}

}  // namespace triptych::aam_demo
