// Runs a harness over files: the seeds, or inputs that libFuzzer found. Fails when an input takes too long or
// too much memory.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

#if defined(TRIPTYCH_SANITIZED)
constexpr double max_seconds = 10;
#else
constexpr double max_seconds = 1;
#endif
constexpr std::int64_t max_memory_factor = 10, max_memory_constant = std::int64_t{256} << 20;

// The largest resident size of this process so far, in bytes; 0 where it is not known.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

bool replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::int64_t before = peak_memory();
  const auto start = std::chrono::steady_clock::now();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::int64_t memory = peak_memory() - before;
  if (seconds.count() > max_seconds) {
    std::cerr << path << " takes " << seconds.count() << " s; the limit is " << max_seconds << " s\n";
    return false;
  }
  if (memory > max_memory_factor * static_cast<std::int64_t>(bytes.size()) + max_memory_constant) {
    std::cerr << path << " of " << bytes.size() << " bytes takes " << memory << " bytes of memory\n";
    return false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  int files = 0;
  bool good = true;
  for (int i = 1; i < count; ++i) {
    const std::filesystem::path path = arguments[i];
    if (!std::filesystem::is_directory(path)) {
      good = replay(path) && good;
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      good = replay(entry.path()) && good;
      ++files;
    }
  }
  std::cout << files << " inputs replayed\n";
  if (files == 0) std::cerr << "usage: " << arguments[0] << " FOLDER|FILE...: there is no input\n";
  return good && files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
