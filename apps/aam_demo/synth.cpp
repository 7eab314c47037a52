// aam_demo synth.
#include <triptych/core/error.hpp>

#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/text.hpp>

#include <cstdio>

#include "commands.hpp"
#include "faces.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;

void write_synthetic(const Options& options) {
  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    outputs.make_folder(options.out);
    apps::Progress progress(program_name, options.count, "faces");
    int done = 0;
    while (done < options.count && !apps::interrupted()) {
      const Example face = std::move(synthetic_faces(options.seed, done, 1, options.size).front());
      const std::string name = apps::text("face_%05d", done);
      const auto image = outputs.add(options.out / (name + ".pgm")),
                 landmarks = outputs.add(options.out / (name + ".pts"));
      write_pgm(image, face.image);
      write_pts(landmarks, face.landmarks);
      outputs.keep(image);
      outputs.keep(landmarks);
      progress.update(++done);
    }
    progress.finish();
    outputs.commit();
    std::printf("aam_demo: %d faces of %d x %d pixels with 68 landmarks in %s.\n", done, options.size,
                options.size, options.out.c_str());
    if (done < options.count)
      throw apps::Interrupted("kept " + std::to_string(done) + " of " + std::to_string(options.count) +
                              " faces in " + options.out.string());
  });
}

}  // namespace triptych::aam_demo
