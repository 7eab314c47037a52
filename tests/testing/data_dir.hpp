// TRIPTYCH_DATA_DIR_OR_SKIP(name): declares a std::filesystem::path to the folder of validation data, or ends
// the test as Skipped when the environment variable TRIPTYCH_DATA_DIR names none (ctest sets it from the
// CMake variable).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace triptych::test {

// Empty when there is none.
inline std::filesystem::path data_dir() {
  const char* value = std::getenv("TRIPTYCH_DATA_DIR");
  if (value == nullptr || !std::filesystem::is_directory(value)) return {};
  return value;
}

}  // namespace triptych::test

#define TRIPTYCH_DATA_DIR_OR_SKIP(name)                            \
  const std::filesystem::path name = ::triptych::test::data_dir(); \
  if (name.empty()) GTEST_SKIP() << "TRIPTYCH_DATA_DIR names no folder of validation data"
