// Bad arguments of the public functions of core.
#include <triptych/core/buffer.hpp>
#include <triptych/core/checked.hpp>
#include <triptych/core/cpu_path.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/graph_timing.hpp>
#include <triptych/core/image.hpp>
#include <triptych/core/json.hpp>
#include <triptych/core/matrix_view.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/core/workspace.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych {
namespace {

using test::Refusal;

// Refused before the stream or the memory is used: no GPU is needed.
const StreamRef no_stream(static_cast<CUstream_st*>(nullptr));
float host[12];

TEST(Arguments, OfViewsAreRefused) {
  const ImageView<float> image(host, 4, 3);
  const MatrixView<float> matrix(host, 3, 4);
  const DeviceSpan<float> span(host, 12);
  const Refusal refusals[] = {
      {"ImageView: negative width", [] { ImageView<float>(host, -1, 3); }, "-1 x 3 pixels"},
      {"ImageView: negative height", [] { ImageView<float>(host, 4, -1); }, "4 x -1 pixels"},
      {"ImageView: least width", [] { ImageView<float>(host, INT64_MIN, 1); }, "cannot be"},
      {"ImageView: width in bytes overflows", [] { ImageView<float>(host, INT64_MAX, 1); }, "pixels of 4"},
      {"ImageView: height overflows", [] { ImageView<float>(host, 4, INT64_MAX); }, "address space"},
      {"ImageView: no data", [] { ImageView<float>(nullptr, 4, 3); }, "4 x 3 has no data"},
      {"ImageView: short pitch", [] { ImageView<float>(host, 4, 3, 12); }, "not 12 bytes"},
      {"ImageView: negative pitch", [] { ImageView<float>(host, 4, 3, -16); }, "not -16 bytes"},
      {"ImageView: least pitch", [] { ImageView<float>(host, 0, 1, INT64_MIN); }, "pitch"},
      {"ImageView: misaligned pitch", [] { ImageView<float>(host, 2, 3, 9); }, "9 bytes misaligns"},
      {"ImageView: large pitch", [] { ImageView<float>(host, 4, 3, INT64_MAX / 4 * 4); }, "address space"},
      {"DeviceImageView: negative", [] { DeviceImageView<float>(host, -1, 3); }, "-1 x 3 pixels"},
      {"DeviceImageView: no data", [] { DeviceImageView<float>(nullptr, 4, 3); }, "no data"},
      {"DeviceImageView: row", [] { DeviceImageView<float>(host, 4, 3).row(3); }, "row 3"},
      {"row: negative", [&] { image.row(-1); }, "row -1"},
      {"row: past the end", [&] { image.row(3); }, "row 3"},
      {"row: least", [&] { image.row(INT64_MIN); }, "row -9223372036854775808"},
      {"region: negative x", [&] { image.region(-1, 0, 1, 1); }, "at (-1, 0)"},
      {"region: negative y", [&] { image.region(0, -1, 1, 1); }, "at (0, -1)"},
      {"region: negative width", [&] { image.region(0, 0, -1, 1); }, "-1 x 1"},
      {"region: negative height", [&] { image.region(0, 0, 1, -1); }, "1 x -1"},
      {"region: too wide", [&] { image.region(1, 0, 4, 1); }, "4 x 1 at (1, 0)"},
      {"region: overflows", [&] { image.region(1, 1, INT64_MAX, INT64_MAX); }, "lies outside"},
      {"region: x past the end", [&] { image.region(INT64_MAX, 0, 1, 1); }, "lies outside"},
      {"MatrixView: negative rows", [] { MatrixView<float>(host, -1, 4); }, "-1 rows"},
      {"MatrixView: negative cols", [] { MatrixView<float>(host, 3, -1); }, "-1 columns"},
      {"MatrixView: no data", [] { MatrixView<float>(nullptr, 3, 4); }, "3 x 4 has no data"},
      {"MatrixView: short stride", [] { MatrixView<float>(host, 3, 4, 3); }, "not 3"},
      {"MatrixView: negative stride", [] { MatrixView<float>(host, 3, 0, -4); }, "not -4"},
      {"MatrixView: overflows", [] { MatrixView<float>(host, INT64_MAX, 4); }, "address space"},
      {"MatrixView: stride overflows", [] { MatrixView<float>(host, 3, 4, INT64_MAX); }, "address space"},
      {"DeviceMatrixView: overflows", [] { DeviceMatrixView<float>(host, 3, INT64_MAX); }, "address space"},
      {"MatrixView: row -1", [&] { matrix.row(-1); }, "row -1"},
      {"MatrixView: row past the end", [&] { matrix.row(3); }, "row 3"},
      {"DeviceSpan: negative size", [] { DeviceSpan<float>(host, -1); }, "-1 elements"},
      {"DeviceSpan: no data", [] { DeviceSpan<float>(nullptr, 1); }, "no data"},
      {"DeviceSpan: overflows", [] { DeviceSpan<float>(host, INT64_MAX); }, "address space"},
      {"subspan: negative offset", [&] { span.subspan(-1, 1); }, "[-1,"},
      {"subspan: negative count", [&] { span.subspan(0, -1); }, "-1)"},
      {"subspan: too long", [&] { span.subspan(6, 7); }, "[6, 6 + 7)"},
      {"subspan: overflows", [&] { span.subspan(6, INT64_MAX); }, "outside"},
      {"first: too long", [&] { span.first(13); }, "outside"},
      {"Image: negative width", [] { Image<float>(-1, 3); }, "-1 x 3"},
      {"Image: negative height", [] { Image<float>(4, -1); }, "4 x -1"},
      {"Image: overflows", [] { Image<float>(INT64_MAX, INT64_MAX); }, "too large"},
      {"Image: cannot be allocated", [] { Image<float>(1 << 20, 1 << 20); }, "too large"},
      {"Image: too few pixels", [] { Image<float>(4, 3, std::vector<float>(11)); }, "cannot have 11"},
      {"Image: negative with pixels", [] { Image<float>(-4, -3, std::vector<float>(12)); }, "-4 x -3"},
      {"Image: a huge view", [] { Image<char>(ImageView<const char>("", 1, INT64_MAX)); }, "too large"},
  };
  test::expect_refusals(refusals);
}

TEST(Arguments, OfMemoryAreRefused) {
  const DeviceSpan<float> device(host, 12);
  std::array<float, 11> other{};
  const std::span<float> null(static_cast<float*>(nullptr), 12);
  Workspace workspace;
  const Refusal refusals[] = {
      {"DeviceBuffer: negative", [] { DeviceBuffer<float>(-1); }, "-1 elements"},
      {"DeviceBuffer: overflows", [] { DeviceBuffer<std::array<int, 9>>(INT64_MAX); }, "address space"},
      {"PinnedBuffer: negative", [] { PinnedBuffer<float>(INT64_MIN); }, "elements"},
      {"PinnedBuffer: overflows", [] { PinnedBuffer<std::array<int, 9>>(INT64_MAX); }, "address space"},
      {"copy_to_device: sizes", [&] { copy_to_device(other, device, no_stream); }, "44 bytes into 48"},
      {"copy_to_device: null", [&] { copy_to_device(null, device, no_stream); }, "null pointer"},
      {"copy_to_host: sizes", [&] { copy_to_host(device, other, no_stream); }, "48 bytes into 44"},
      {"copy_to_host: null", [&] { copy_to_host(device, null, no_stream); }, "null pointer"},
      {"copy_on_device: sizes", [&] { copy_on_device(device, device.first(2), no_stream); }, "into 8"},
      {"fill_bytes: negative", [&] { fill_bytes(device, -1, no_stream); }, "with -1"},
      {"fill_bytes: 256", [&] { fill_bytes(device, 256, no_stream); }, "with 256"},
      {"reserve: too much", [&] { workspace.reserve(SIZE_MAX, no_stream); }, "18446744073709551615 bytes"},
      {"graph_us_per_call: no calls", [&] { graph_us_per_call(no_stream, 0, [] {}); }, "0 calls"},
      {"graph_us_per_call: negative", [&] { graph_us_per_call(no_stream, -1, [] {}); }, "-1 calls"},
      {"checked_multiply", [] { checked_multiply(INT64_MIN, -1, "the size"); }, "the size"},
      {"checked_add", [] { checked_add(INT64_MIN, -1, "the size"); }, "the size"},
      {"checked_cast: NaN", [] { checked_cast<int>(std::nan(""), "the size"); }, "the size is nan"},
      {"checked_cast: infinite", [] { checked_cast<int>(-HUGE_VAL, "the size"); }, "the size is -inf"},
      {"checked_cast: large", [] { checked_cast<int>(1e10, "the size"); }, "the size is 1e+10"},
  };
  test::expect_refusals(refusals);
  EXPECT_EQ(other, (std::array<float, 11>{}));
  EXPECT_EQ(workspace.bytes(), 0u);
}

TEST(Arguments, OfDevicesAndNamesAreRefused) {
  const CpuPath plain[] = {CpuPath::plain};
  const Device cpu = Device::cpu(1);
  const Refusal refusals[] = {
      {"Device::cpu: negative", [] { Device::cpu(-1); }, "-1 threads"},
      {"Device::cpu: least", [] { Device::cpu(INT32_MIN); }, "threads"},
      {"Device::cuda: negative", [] { Device::cuda(-1); }, "GPU -1"},
      {"Device::cuda: no GPUs", [] { Device::cuda(std::vector<int>{}); }, "at least one GPU"},
      {"Device::cuda: a negative one",
       [] {
         Device::cuda(std::vector<int>{-1, 0});
       },
       "GPU -1"},
      {"Device::joint: negative GPU", [] { Device::joint(-1); }, "GPU -1"},
      {"Device::joint: negative threads", [] { Device::joint(0, -1); }, "-1 threads"},
      {"Device::parse: empty", [] { Device::parse(""); }, "''"},
      {"Device::parse: no number", [] { Device::parse("cuda:"); }, "'cuda:'"},
      {"Device::parse: negative", [] { Device::parse("cuda:-1"); }, "'cuda:-1'"},
      {"Device::parse: overflow", [] { Device::parse("cuda:99999999999"); }, "99999999999"},
      {"Device::parse: comma", [] { Device::parse("cuda:0,"); }, "'cuda:0,'"},
      {"Device::parse: capitals", [] { Device::parse("CPU"); }, "'CPU'"},
      {"require_kind: no kinds", [&] { require_kind(cpu, {}, "An object"); }, "An object"},
      {"to_string(DeviceKind)", [] { to_string(static_cast<DeviceKind>(99)); }, "99"},
      {"to_string(DeviceKind): negative", [] { to_string(static_cast<DeviceKind>(-1)); }, "-1"},
      {"to_string(CpuPath)", [] { to_string(static_cast<CpuPath>(99)); }, "99"},
      {"pick_cpu_path: none", [] { pick_cpu_path(CpuPath::simd, {}); }, "at least one CPU path"},
      {"pick_cpu_path: missing", [&] { pick_cpu_path(CpuPath::avx512, plain); }, "avx512"},
      {"pick_cpu_path: unknown", [&] { pick_cpu_path(static_cast<CpuPath>(99), plain); }, "99"},
      {"channels", [] { channels(static_cast<PixelFormat>(99)); }, "99"},
      {"to_string(PixelFormat)", [] { to_string(static_cast<PixelFormat>(-1)); }, "-1"},
      {"parse_pixel_format: empty", [] { parse_pixel_format(""); }, "\"\""},
      {"parse_pixel_format: other", [] { parse_pixel_format("rgb16"); }, "\"rgb16\""},
  };
  test::expect_refusals(refusals);
}

TEST(Arguments, OfLoopsAndFilesAreRefused) {
  const test::TemporaryDirectory directory;
  const auto file = directory / "file";
  const auto nothing = [](auto...) {};
  const Json deep = Json::parse(std::string(1000, '[') + std::string(1000, ']'));
  const Refusal refusals[] = {
      {"parallel_for: backwards", [&] { parallel_for(1, 0, 1, nothing); }, "from 1 to 0"},
      {"parallel_for: overflows", [&] { parallel_for(INT64_MIN, 1, 1, nothing); }, "to 1"},
      {"parallel_chunks: negative", [&] { parallel_chunks(-1, 1, 1, nothing); }, "-1 elements"},
      {"parallel_chunks: no chunk", [&] { parallel_chunks(1, 0, 1, nothing); }, "chunks of 0"},
      {"parallel_chunks: negative chunk", [&] { parallel_chunks(1, INT64_MIN, 1, nothing); }, "chunks of -"},
      {"read_text: negative limit", [&] { read_text(file, -1); }, "-1 bytes"},
      {"write_json: not UTF-8", [&] { write_json(file, Json("\xff")); }, file.string()},
      {"write_json: too deep", [&] { write_json(file, deep); }, "nested deeper than 256"},
  };
  test::expect_refusals(refusals);
  EXPECT_EQ(directory.entry_count(), 0);
}

}  // namespace
}  // namespace triptych
