// aam_demo evaluate.
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/version.hpp>

#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/summary.hpp>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "evaluation.hpp"
#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

void evaluate(const Options& options) {
  const Model model = load_model(options.model);
  const Device device = chosen_device(options);
  const std::vector<Example> faces = load_faces(options);
  FitterOptions fitting = options.fitting;
  fitting.max_width = fitting.max_height = 16;
  for (const Example& face : faces) {
    fitting.max_width = std::max(fitting.max_width, static_cast<int>(face.image.width));
    fitting.max_height = std::max(fitting.max_height, static_cast<int>(face.image.height));
  }
  Fitter fitter(model, fitting, device);
  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    const std::filesystem::path json = options.json.empty() ? options.json : outputs.add(options.json);
    const std::filesystem::path csv = options.csv.empty() ? options.csv : outputs.add(options.csv);
    const Evaluation evaluation(fitter, faces);
    std::printf("%s", evaluation.table().c_str());
    if (!csv.empty()) outputs.write(csv, evaluation.csv());
    if (!json.empty()) {
      Json all = evaluation.json();
      all["program"] = program_name;
      all["version"] = version();
      all["model"] = options.model.string();
      all["input"] = options.images.string();
      all["device"] = device.describe();
      outputs.write(json, apps::summary_text(all));
    }
    outputs.commit();
    std::printf("aam_demo: %zu faces from five starts each, with %s on %s.\n", evaluation.faces(),
                options.model.c_str(), device.describe().c_str());
    if (!evaluation.complete())
      throw apps::Interrupted("kept the results of " + std::to_string(evaluation.faces()) + " of " +
                              std::to_string(faces.size()) + " faces");
  });
}

}  // namespace triptych::aam_demo
