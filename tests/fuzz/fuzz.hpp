// What the fuzzing harnesses share. A harness defines LLVMFuzzerTestOneInput(); replay.cpp calls it for the
// seeds in every build, libFuzzer for as long as it is told.
#pragma once

#include <triptych/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "testing/temporary_directory.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace triptych::fuzz {

// Runs what reads the input. A triptych::Error is an answer; every other exception ends the program.
template <class Reads>
void only_errors(const Reads& reads) {
  try {
    reads();
  } catch (const Error&) {
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The input as a file, for functions that take a path. The file is overwritten by the next input.
inline std::filesystem::path file_of(const std::uint8_t* data, std::size_t size,
                                     const std::string& name = "input") {
  static const test::TemporaryDirectory directory;
  std::filesystem::path path = directory / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

}  // namespace triptych::fuzz
