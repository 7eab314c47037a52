// load_classifier(): the JSON file of a classifier and the table of a histogram. The input is the JSON text;
// after a 0 byte follow the bits per channel and the cells of the table. The harness writes the table's
// header and puts its checksum in place of the word CHECKSUM in the text.
#include <triptych/skin_tracker/classifier.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "fuzz/fuzz.hpp"

namespace {

using namespace triptych::skin_tracker;
namespace fs = std::filesystem;

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 255));
  return text;
}

// Writes the two files and returns the path of the JSON file.
fs::path write_files(std::string_view input) {
  const std::size_t split = std::min(input.find('\0'), input.size());
  std::string json(input.substr(0, split));
  const std::string_view rest = split < input.size() ? input.substr(split + 1) : std::string_view();
  const std::string_view cells = rest.substr(std::min<std::size_t>(1, rest.size()));
  std::uint64_t sum = 0xCBF29CE484222325u;
  for (const char c : cells) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  std::string hexadecimal;
  for (int i = 15; i >= 0; --i) hexadecimal.push_back("0123456789abcdef"[sum >> (4 * i) & 15]);
  constexpr std::string_view word = "CHECKSUM";
  if (const std::size_t at = json.find(word); at != std::string::npos)
    json.replace(at, word.size(), hexadecimal);
  fs::path path = triptych::fuzz::file_of(reinterpret_cast<const std::uint8_t*>(json.data()), json.size());
  const std::string table = "TRISKINT" + little_endian(1, 4) +
                            little_endian(rest.empty() ? 0 : static_cast<unsigned char>(rest[0]), 4) +
                            little_endian(sum, 8) + std::string(cells);
  std::ofstream(path.string() + ".table", std::ios::binary)
      .write(table.data(), static_cast<std::streamsize>(table.size()));
  return path;
}

constexpr triptych::Rgb8 colours[] = {{0, 0, 0}, {255, 255, 255}, {220, 170, 140}, {1, 128, 254}};

void expect(bool holds) {
  if (!holds) std::abort();
}

// What was loaded gives weights from 0 to 1 and survives a second file.
void use(const Classifier& loaded, const fs::path& copy) {
  save_classifier(copy, loaded);
  const Classifier again = load_classifier(copy);
  expect(name_of(again) == name_of(loaded));
  for (const triptych::Rgb8& colour : colours) {
    const float w = weight(loaded, colour);
    expect(w >= 0 && w <= 1 && w == weight(again, colour));
  }
  if (const auto* filter = std::get_if<LinearFilter>(&loaded))
    triptych::fuzz::only_errors([&] { static_cast<void>(fix(*filter)); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fs::path path = write_files(triptych::fuzz::text_of(data, size));
  std::optional<Classifier> loaded;
  triptych::fuzz::only_errors([&] { loaded = load_classifier(path); });
  if (loaded) use(*loaded, path.parent_path() / "copy");
  return 0;
}
