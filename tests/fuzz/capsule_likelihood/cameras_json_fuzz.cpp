#include <triptych/capsule_likelihood/cameras_file.hpp>

#include "fuzz/capsule_likelihood/parsed.hpp"

namespace triptych::capsule_likelihood {
namespace {

using fuzz::demand;

void read(const std::filesystem::path& file) {
  fuzz::only_errors([&] {
    const std::vector<CalibratedCamera> cameras = read_cameras(file);
    demand(!cameras.empty() && cameras.size() <= 1024, "there is a camera, and not too many");
    const std::filesystem::path copy = file.parent_path() / "again.json";
    write_cameras(copy, cameras);
    const std::vector<CalibratedCamera> again = read_cameras(copy);
    demand(again.size() == cameras.size(), "what is written is read");
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      demand(again[i].name == cameras[i].name, "the names stay");
      const RigidTransform& a = cameras[i].camera_from_world;
      const RigidTransform& b = again[i].camera_from_world;
      for (std::size_t k = 0; k < 9; ++k)
        demand(std::isfinite(a.rotation[k]) && a.rotation[k] == b.rotation[k],
               "rotations are finite and stay");
      demand(fuzz::is_finite(a.translation_m), "translations are finite");
    }
  });
}

}  // namespace
}  // namespace triptych::capsule_likelihood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  triptych::capsule_likelihood::read(triptych::fuzz::file_of(data, size, "cameras.json"));
  return 0;
}
