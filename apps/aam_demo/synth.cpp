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
  outputs.make_folder(options.out);
  apps::Progress progress(program_name, options.count, "faces");
  for (int i = 0; i < options.count; ++i) {
    const Example face = std::move(synthetic_faces(options.seed, i, 1, options.size).front());
    const std::string name = apps::text("face_%05d", i);
    write_pgm(outputs.add(options.out / (name + ".pgm")), face.image);
    write_pts(outputs.add(options.out / (name + ".pts")), face.landmarks);
    progress.update(i + 1);
    if (apps::interrupted()) throw Error("interrupted");
  }
  progress.finish();
  outputs.commit();
  std::printf("aam_demo: %d faces of %d x %d pixels with 68 landmarks in %s.\n", options.count, options.size,
              options.size, options.out.c_str());
}

}  // namespace triptych::aam_demo
