#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>

#include <cstdlib>

namespace triptych::aam_fit {

namespace {

constexpr int shipped_faces = 500, shipped_image_px = 256;
constexpr std::uint64_t shipped_seed = 1;

}  // namespace

std::vector<Example> default_model_faces(int threads) {
  std::vector<Example> made(shipped_faces);
  parallel_for(0, shipped_faces, threads, [&](std::int64_t i) {
    made[static_cast<std::size_t>(i)] =
        render_face(varied_face(shipped_seed, i), shipped_image_px, shipped_image_px);
  });
  return made;
}

TrainOptions default_model_options() {
  TrainOptions options;
  options.name = "procedural faces";
  options.mirror_points = mirror_of_68();
  options.deformations = 0;  // the faces differ enough
  options.shape_variance = 0.985;
  options.levels = default_levels();
  // Photographs differ from the faces of the training: a strong ridge and wide pooling generalise better.
  options.ridge = 70;
  for (LevelOptions& level : options.levels) level.features.pool_px *= 1.5f;
  options.compositional = false;
  return options;
}

std::filesystem::path default_model_path() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (const char* named = std::getenv("TRIPTYCH_FACE_MODEL"); named != nullptr && *named != '\0') {
    if (!fs::is_regular_file(named, ignored))
      throw Error("TRIPTYCH_FACE_MODEL names " + std::string(named) + ", which is no file");
    return named;
  }
  const fs::path file = fs::path("share") / "triptych" / "faces.aam";
  if (const fs::path program = fs::read_symlink("/proc/self/exe", ignored); !program.empty()) {
    fs::path beside = program.parent_path().parent_path() / file;
    if (fs::is_regular_file(beside, ignored)) return beside;
  }
  fs::path installed = fs::path(TRIPTYCH_INSTALL_PREFIX) / file;
  if (fs::is_regular_file(installed, ignored)) return installed;
  throw Unavailable(
      "the face model that ships, share/triptych/faces.aam, was not found beside the program's folder or "
      "in " TRIPTYCH_INSTALL_PREFIX
      ": build the target face_model, set TRIPTYCH_FACE_MODEL to a model file, or train a model of your own");
}

Model load_default_model() { return load_model(default_model_path()); }

}  // namespace triptych::aam_fit
