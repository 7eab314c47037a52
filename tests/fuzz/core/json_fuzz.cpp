// read_json(), at() and write_json(): what was read can be written, and is then read as the same.
#include <triptych/core/json.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  const auto file = fuzz::file_of(data, size, "input.json");
  fuzz::only_errors([&] {
    const Json json = read_json(file);
    if (size % 16 == 0) {  // not always: it waits for the disk
      const auto written = fuzz::file_of(data, size, "written.json");
      write_json(written, json);
      if (read_json(written) != json) std::abort();
    }
    if (!json.is_object()) return;
    for (const auto& [key, value] : json.items()) {
      const std::string name = key;
      fuzz::only_errors([&] { at<int>(json, name, "file"); });
      fuzz::only_errors([&] { at<unsigned char>(json, name, "file"); });
      fuzz::only_errors([&] { at<double>(json, name, "file"); });
      fuzz::only_errors([&] { at<bool>(json, name, "file"); });
      fuzz::only_errors([&] { at<std::string>(json, name, "file"); });
      fuzz::only_errors([&] { at<std::vector<float>>(json, name, "file"); });
      fuzz::only_errors([&] { at<std::vector<std::vector<int>>>(json, name, "file"); });
    }
  });
  return 0;
}
