#include <triptych/capsule_likelihood/cameras_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/json.hpp>

#include <algorithm>

namespace triptych::capsule_likelihood {

namespace {

constexpr std::size_t max_cameras = 1024;

std::vector<float> numbers_of(const Json& json, const char* key, std::size_t count, const std::string& file) {
  auto numbers = at<std::vector<float>>(json, key, file);
  if (numbers.size() != count)
    throw ParseError(file, 0, 0,
                     std::string(key) + " has " + std::to_string(numbers.size()) + " numbers, not " +
                         std::to_string(count));
  return numbers;
}

CalibratedCamera camera_of(const Json& json, const std::string& file) {
  CalibratedCamera camera;
  camera.name = at<std::string>(json, "name", file);
  const std::vector<float> rotation = numbers_of(json, "rotation", 9, file),
                           translation = numbers_of(json, "translation_m", 3, file);
  std::copy(rotation.begin(), rotation.end(), camera.camera_from_world.rotation.begin());
  camera.camera_from_world.translation_m = {translation[0], translation[1], translation[2]};
  try {
    check_transform(camera.camera_from_world, ("camera '" + camera.name + "'").c_str());
  } catch (const InvalidArgument& e) {
    throw ParseError(file, 0, 0, e.what());
  }
  return camera;
}

}  // namespace

std::vector<CalibratedCamera> read_cameras(const std::filesystem::path& path) {
  const Json json = read_json(path);
  const std::string file = path.string();
  const Json& list = detail::member(json, "cameras", file);
  if (!list.is_array() || list.empty() || list.size() > max_cameras)
    throw ParseError(file, 0, 0,
                     "'cameras' must be a list of 1 to " + std::to_string(max_cameras) + " cameras");
  std::vector<CalibratedCamera> cameras;
  for (const Json& entry : list) cameras.push_back(camera_of(entry, file));
  return cameras;
}

void write_cameras(const std::filesystem::path& path, std::span<const CalibratedCamera> cameras) {
  Json list = Json::array();
  for (const CalibratedCamera& camera : cameras) {
    const Vec3& t = camera.camera_from_world.translation_m;
    list.push_back({{"name", camera.name},
                    {"rotation", camera.camera_from_world.rotation},
                    {"translation_m", {t.x, t.y, t.z}}});
  }
  write_json(path, {{"cameras", list}});
}

}  // namespace triptych::capsule_likelihood
