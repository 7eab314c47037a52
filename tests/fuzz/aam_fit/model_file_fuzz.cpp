// Model files. Sizes and checksums are fixed up, so that what stands behind them is reached.
#include <string>

#include "fuzz/aam_fit/use_model.hpp"
#include "model/checksum.hpp"

namespace triptych {
namespace {

using aam_fit::blobs_begin;

// The checksums of a level's arrays as they are.
void seal_arrays(Json& level, const std::string& blobs) {
  if (!level.is_object() || !level.contains("arrays") || !level["arrays"].is_object()) return;
  for (auto& [name, entry] : level["arrays"].items()) {
    if (!entry.is_object() || !entry.contains("at") || !entry.contains("count")) continue;
    if (!entry["at"].is_number_unsigned() || !entry["count"].is_number_unsigned()) continue;
    const auto at = entry["at"].get<std::uint64_t>(), count = entry["count"].get<std::uint64_t>();
    const std::uint64_t size = name == "pixels" ? 16 : 4;
    if (at > blobs.size() || count > (blobs.size() - at) / size) continue;
    std::uint64_t sum = aam_fit::checksum(std::as_bytes(std::span(blobs)).subspan(at, count * size));
    std::string hex(16, '0');
    for (std::size_t i = 16; i-- > 0; sum >>= 4) hex[i] = "0123456789abcdef"[sum & 15];
    entry["checksum"] = hex;
  }
}

std::string fixed_up(std::string_view bytes) {
  if (bytes.size() < aam_fit::model_file_prefix) return std::string(bytes);
  std::uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data() + 12, 4);
  if (blobs_begin(header_bytes) > bytes.size()) return std::string(bytes);
  const std::string_view text = bytes.substr(aam_fit::model_file_prefix, header_bytes);
  const std::string blobs(bytes.substr(blobs_begin(header_bytes)));
  Json header = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!header.is_object()) return aam_fit::seal(std::string(text), blobs);
  if (header.contains("levels") && header["levels"].is_array())
    for (Json& level : header["levels"]) seal_arrays(level, blobs);
  if (header.contains("appearance")) seal_arrays(header["appearance"], blobs);
  return aam_fit::seal(header.dump(-1, ' ', false, Json::error_handler_t::replace), blobs);
}

}  // namespace
}  // namespace triptych

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  fuzz::only_errors([&] { fuzz::decoded(std::string(fuzz::text_of(data, size))); });
  fuzz::only_errors([&] { fuzz::use_model(fuzz::decoded(fixed_up(fuzz::text_of(data, size)))); });
  return 0;
}
