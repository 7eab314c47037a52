// The model that ships: trained on procedural faces alone, for photographs of faces.
#pragma once

#include <triptych/aam_fit/example.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/train.hpp>

#include <filesystem>
#include <vector>

namespace triptych::aam_fit {

// What it is trained on, and how: train(default_model_faces(), default_model_options()) makes the same model
// wherever the mathematical library is the same. threads 0: all cores.
std::vector<Example> default_model_faces(int threads = 0);
TrainOptions default_model_options();

// The file of that model: the environment variable TRIPTYCH_FACE_MODEL; else share/triptych/faces.aam beside
// the folder of the running program, which a build and an installation have; else in the prefix that the
// library was configured for. Unavailable, saying how to make it, when there is none. Error when
// TRIPTYCH_FACE_MODEL names no file.
std::filesystem::path default_model_path();
// load_model(default_model_path())
Model load_default_model();

}  // namespace triptych::aam_fit
