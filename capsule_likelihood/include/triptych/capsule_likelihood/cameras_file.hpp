// The extrinsic calibration of several cameras, as a JSON file.
#pragma once

#include <triptych/capsule_likelihood/rigid_transform.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace triptych::capsule_likelihood {

struct CalibratedCamera {
  std::string name;
  RigidTransform camera_from_world;
};

// {"cameras": [{"name": "front", "rotation": [nine numbers, row by row], "translation_m": [three]}, ...]}: a
// point of the world is at rotation p + translation_m for the camera. ParseError with the file and the reason
// when a camera is not complete, its rotation is none, or there is no camera or more than 1024.
std::vector<CalibratedCamera> read_cameras(const std::filesystem::path& path);
// Replaces the file atomically.
void write_cameras(const std::filesystem::path& path, std::span<const CalibratedCamera> cameras);

}  // namespace triptych::capsule_likelihood
