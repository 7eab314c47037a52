#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>

#include "model/checksum.hpp"
#include "model/model_format.hpp"

namespace triptych::aam_fit {

static_assert(std::endian::native == std::endian::little, "model files hold arrays as they lie in memory");
static_assert(sizeof(WarpPixel) == 16 && std::is_trivially_copyable_v<WarpPixel>);

namespace {

constexpr char magic[] =
    "\x89"
    "AAM\r\n\x1a\n";
constexpr std::size_t magic_size = sizeof(magic) - 1;

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

// In the order of the enumeration.
constexpr const char* normalisations[] = {"projection", "length", "floored"};

Normalisation normalisation_of(const std::string& name, const std::string& file) {
  for (std::size_t i = 0; i < std::size(normalisations); ++i) {
    if (name == normalisations[i]) return static_cast<Normalisation>(i);
  }
  throw ParseError(file, 0, 0, "there is no normalisation " + shown(name));
}

// Blobs one after the other, each aligned.
class BlobWriter {
 public:
  template <class T>
  Json add(const SharedArray<T>& array) {
    blobs.resize((blobs.size() + model_file_alignment - 1) / model_file_alignment * model_file_alignment,
                 '\0');
    const std::span<const std::byte> bytes = std::as_bytes(array.span());
    Json entry{{"at", blobs.size()}, {"count", array.size()}, {"checksum", hex(checksum(bytes))}};
    blobs.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return entry;
  }
  std::string blobs;
};

class BlobReader {
 public:
  BlobReader(std::span<const std::byte> blobs, std::shared_ptr<const void> owner, const std::string& file)
      : blobs_(blobs), owner_(std::move(owner)), file_(file) {}

  // Arrays lie in the file in the order of the requests.
  template <class T>
  SharedArray<T> take(const Json& of, const std::string& name) {
    const Json& entry = triptych::detail::member(of, name, file_);
    const auto at = triptych::at<std::uint64_t>(entry, "at", file_);
    const auto count = triptych::at<std::uint64_t>(entry, "count", file_);
    const auto expected = triptych::at<std::string>(entry, "checksum", file_);
    const std::size_t aligned =
        (end_ + model_file_alignment - 1) / model_file_alignment * model_file_alignment;
    if (at != aligned) fail("the array " + name + " does not follow the one before it");
    if (at > blobs_.size() || count > (blobs_.size() - at) / sizeof(T)) {
      fail("the array " + name + " of " + std::to_string(count) + " elements reaches beyond the end");
    }
    require_zeros(end_, at);
    const std::span<const std::byte> bytes = blobs_.subspan(at, count * sizeof(T));
    if (hex(checksum(bytes)) != expected)
      fail("the array " + name + " is damaged: its checksum does not match");
    end_ = at + count * sizeof(T);
    if (count == 0) return {};
    return {std::span<const T>(reinterpret_cast<const T*>(bytes.data()), count), owner_};
  }

  void finish() const {
    if (end_ != blobs_.size()) fail("there is more in the file than its header says");
  }

 private:
  void require_zeros(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (blobs_[i] != std::byte{0}) fail("the file is damaged between its arrays");
    }
  }
  [[noreturn]] void fail(const std::string& reason) const { throw ParseError(file_, 0, 0, reason); }

  std::span<const std::byte> blobs_;
  std::shared_ptr<const void> owner_;
  const std::string& file_;
  std::size_t end_ = 0;
};

// The arrays of a level, in the order of the file.
template <class Visit>
void for_each_array(auto& level, Visit&& visit) {
  visit("places", level.frame.raster_indices);
  visit("pixels", level.frame.pixels);
  visit("s0", level.s0);
  visit("Qs", level.Qs);
  visit("Ks", level.Ks);
  visit("g0", level.g0);
  visit("Qg", level.Qg);
  visit("R", level.R);
  visit("sigma", level.sigma);
  visit("Ps", level.Ps);
  visit("Pg", level.Pg);
  visit("ps_sigma", level.ps_sigma);
}

Json level_header(const Level& level, BlobWriter& blobs) {
  Json arrays = Json::object();
  for_each_array(level, [&](const char* name, const auto& array) { arrays[name] = blobs.add(array); });
  return {{"features",
           {{"kind", to_string(level.features.kind)},
            {"smooth_px", level.features.smooth_px},
            {"local_px", level.features.local_px},
            {"pool_px", level.features.pool_px},
            {"bins", level.features.bins}}},
          {"normalisation", normalisations[static_cast<std::size_t>(level.normalisation)]},
          {"face_size_px", level.face_size_px},
          {"width", level.frame.width},
          {"height", level.frame.height},
          {"scale", level.frame.scale},
          {"points", level.points},
          {"modes", level.modes},
          {"shape_modes", level.shape_modes},
          {"texture_modes", level.texture_modes},
          {"texture_tells_c", level.texture_determines_c},
          {"kappa", level.sample_offset},
          {"iterations", level.iterations},
          {"arrays", std::move(arrays)}};
}

// What sizes may be before anything is allocated for them: far beyond any model, and no sum overflows.
void check_limits(const Level& level, const std::string& file) {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) throw ParseError(file, 0, 0, std::string(what) + " of a level is out of range");
  };
  const auto within = [](auto value, auto most) { return value >= 0 && value <= most; };
  expect(within(level.frame.width, 1 << 15) && within(level.frame.height, 1 << 15) &&
             std::int64_t{level.frame.width} * level.frame.height <= std::int64_t{1} << 26,
         "the raster");
  expect(within(level.face_size_px, 16384.0), "the face size");
  expect(within(level.points, 65535), "the number of points");
  expect(within(level.modes, 65535) && within(level.shape_modes, 65535) && within(level.texture_modes, 65535),
         "the number of modes");
  expect(within(level.iterations, 10000), "the number of iterations");
}

Level level_of(const Json& json, BlobReader& blobs, const std::string& file) {
  Level level;
  const Json& features = triptych::detail::member(json, "features", file);
  level.features.kind = parse_feature_kind(at<std::string>(features, "kind", file));
  level.features.smooth_px = at<float>(features, "smooth_px", file);
  level.features.local_px = at<float>(features, "local_px", file);
  level.features.pool_px = at<float>(features, "pool_px", file);
  level.features.bins = at<int>(features, "bins", file);
  level.normalisation = normalisation_of(at<std::string>(json, "normalisation", file), file);
  level.face_size_px = at<double>(json, "face_size_px", file);
  level.frame.width = at<int>(json, "width", file);
  level.frame.height = at<int>(json, "height", file);
  level.frame.scale = at<double>(json, "scale", file);
  level.points = at<int>(json, "points", file);
  level.modes = at<int>(json, "modes", file);
  level.shape_modes = at<int>(json, "shape_modes", file);
  level.texture_modes = at<int>(json, "texture_modes", file);
  level.texture_determines_c = at<bool>(json, "texture_tells_c", file);
  level.sample_offset = at<float>(json, "kappa", file);
  level.iterations = at<int>(json, "iterations", file);
  check_limits(level, file);
  const Json& arrays = triptych::detail::member(json, "arrays", file);
  for_each_array(
      level, [&]<class T>(const char* name, SharedArray<T>& array) { array = blobs.take<T>(arrays, name); });
  return level;
}

const Json& list(const Json& json, std::string_view key, const std::string& file) {
  const Json& found = triptych::detail::member(json, key, file);
  if (!found.is_array()) triptych::detail::throw_unexpected(found, std::string(key), file, "a list");
  return found;
}

Model model_of(const Json& json, BlobReader& blobs, const std::string& file) {
  Model model;
  model.name = at<std::string>(json, "name", file);
  model.points = at<int>(json, "points", file);
  model.images = at<int>(json, "images", file);
  const Json& triangles = list(json, "triangles", file);
  model.triangles.reserve(triangles.size());
  const auto whole = [](const Json& value) { return triptych::detail::is_integer_in_range<int>(value); };
  for (const Json& corner : triangles) {
    if (!corner.is_array() || corner.size() != 3 || !whole(corner[0]) || !whole(corner[1]) ||
        !whole(corner[2])) {
      throw ParseError(file, 0, 0, "a triangle is three whole numbers");
    }
    model.triangles.push_back({corner[0].get<int>(), corner[1].get<int>(), corner[2].get<int>()});
  }
  const Json& mean = list(json, "mean", file);
  model.mean.reserve(mean.size());
  for (const Json& point : mean) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number()) {
      throw ParseError(file, 0, 0, "a point of the mean shape is two numbers");
    }
    model.mean.push_back({point[0].get<double>(), point[1].get<double>()});
  }
  const Json& levels = list(json, "levels", file);
  model.levels.reserve(levels.size());
  for (const Json& level : levels) model.levels.push_back(level_of(level, blobs, file));
  if (json.contains("calibration")) {
    const Json& calibration = json["calibration"];
    model.calibration = {at<double>(calibration, "face", file), at<double>(calibration, "background", file)};
  }
  if (json.contains("appearance")) model.appearance = level_of(json["appearance"], blobs, file);
  if (json.contains("face_classifier")) {
    const Json& classifier = json["face_classifier"];
    model.face_classifier.weights = blobs.take<float>(classifier, "weights");
    model.face_classifier.offset = at<double>(classifier, "offset", file);
    if (classifier.contains("level")) model.face_classifier.level = at<int>(classifier, "level", file);
  }
  if (json.contains("refinement")) {
    const Json& refinement = json["refinement"];
    model.refinement.patch_samples = at<int>(refinement, "patch_samples", file);
    model.refinement.pitch_px = at<double>(refinement, "pitch_px", file);
    model.refinement.pixels = blobs.take<WarpPixel>(refinement, "pixels");
    model.refinement.g0 = blobs.take<float>(refinement, "g0");
    model.refinement.basis = blobs.take<float>(refinement, "basis");
  }
  blobs.finish();
  return model;
}

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

// The JSON between the prefix and the blobs; all that comes before the blobs is checked.
Json header_of(std::span<const std::byte> bytes, const std::string& file) {
  const auto fail = [&](const std::string& reason) { throw ParseError(file, 0, 0, reason); };
  if (bytes.size() < magic_size || std::memcmp(bytes.data(), magic, magic_size) != 0) {
    if (bytes.empty()) fail("the file is empty");
    fail("this is no model of aam_fit: it begins otherwise");
  }
  if (bytes.size() < model_file_prefix) fail("the file is cut off within its first bytes");
  const auto version = value_at<std::uint32_t>(bytes, 8);
  if (version > model_file_version) {
    fail("the model has version " + std::to_string(version) + " of the format, this program knows up to " +
         std::to_string(model_file_version) + ": it is newer, or damaged");
  }
  if (version < 1)
    fail("there is no version " + std::to_string(version) + " of the format: the file is damaged");
  const auto size = value_at<std::uint64_t>(bytes, 16);
  if (size != bytes.size()) {
    fail("the file should have " + std::to_string(size) + " bytes but has " + std::to_string(bytes.size()) +
         (size > bytes.size() ? ": it is cut off" : ": it is damaged"));
  }
  const std::size_t header_bytes = value_at<std::uint32_t>(bytes, 12);
  const std::size_t begin = blobs_begin(header_bytes);
  if (begin > bytes.size()) fail("the header is damaged: it would reach beyond the end of the file");
  const std::span<const std::byte> header = bytes.subspan(model_file_prefix, header_bytes);
  if (checksum(header) != value_at<std::uint64_t>(bytes, 24)) {
    fail("the header is damaged: its checksum does not match");
  }
  for (std::size_t i = model_file_prefix + header_bytes; i < begin; ++i) {
    if (bytes[i] != std::byte{0}) fail("the file is damaged behind its header");
  }
  const auto* text = reinterpret_cast<const char*>(header.data());
  Json json = Json::parse(text, text + header.size(), nullptr, false);
  if (json.is_discarded()) fail("the header is no JSON");
  if (version < 3 && json.contains("refinement"))
    fail("there is no refinement in version " + std::to_string(version) + ": the file is damaged");
  return json;
}

}  // namespace

std::size_t blobs_begin(std::size_t header_bytes) {
  return (model_file_prefix + header_bytes + model_file_alignment - 1) / model_file_alignment *
         model_file_alignment;
}

std::string seal(const std::string& header, const std::string& blobs) {
  require(header.size() < (std::size_t{1} << 31), "the header of a model is too large");
  const std::size_t begin = blobs_begin(header.size());
  std::string bytes(begin, '\0');
  const auto put = [&](std::size_t place, auto value) {
    std::memcpy(bytes.data() + place, &value, sizeof(value));
  };
  std::memcpy(bytes.data(), magic, magic_size);
  put(8, model_file_version);
  put(12, static_cast<std::uint32_t>(header.size()));
  put(16, static_cast<std::uint64_t>(begin + blobs.size()));
  put(24, checksum(std::as_bytes(std::span(header))));
  std::memcpy(bytes.data() + model_file_prefix, header.data(), header.size());
  return bytes + blobs;
}

std::string encode_model(const Model& model) {
  check_model(model);
  BlobWriter blobs;
  Json header{{"name", model.name}, {"points", model.points}, {"images", model.images}};
  Json mean = Json::array(), levels = Json::array();
  for (const Point p : model.mean) mean.push_back({p.x, p.y});
  for (const Level& level : model.levels) levels.push_back(level_header(level, blobs));
  header["triangles"] = model.triangles;
  header["mean"] = std::move(mean);
  header["levels"] = std::move(levels);
  if (model.calibration.known()) {
    header["calibration"] = {{"face", model.calibration.face}, {"background", model.calibration.background}};
  }
  if (model.appearance.points != 0) header["appearance"] = level_header(model.appearance, blobs);
  if (model.face_classifier.known()) {
    header["face_classifier"] = {{"level", model.face_classifier.level},
                                 {"weights", blobs.add(model.face_classifier.weights)},
                                 {"offset", model.face_classifier.offset}};
  }
  if (model.refinement.known()) {
    header["refinement"] = {{"patch_samples", model.refinement.patch_samples},
                            {"pitch_px", model.refinement.pitch_px},
                            {"pixels", blobs.add(model.refinement.pixels)},
                            {"g0", blobs.add(model.refinement.g0)},
                            {"basis", blobs.add(model.refinement.basis)}};
  }
  return seal(header.dump(-1, ' ', false, Json::error_handler_t::replace), blobs.blobs);
}

Model decode_model(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                   const std::string& file) {
  const Json header = header_of(bytes, file);
  BlobReader blobs(bytes.subspan(blobs_begin(value_at<std::uint32_t>(bytes, 12))), owner, file);
  try {
    Model model = model_of(header, blobs, file);
    check_model(model);
    return model;
  } catch (const InvalidArgument& error) {
    throw ParseError(file, 0, 0, error.what());
  }
}

void save_model(const std::filesystem::path& path, const Model& model) {
  write_file_atomically(path, encode_model(model));
}

Model parse_model(std::string_view text, const std::string& file) {
  constexpr std::align_val_t alignment{model_file_alignment};
  const std::shared_ptr<std::byte> bytes(
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(1, text.size()), alignment)),
      [](std::byte* p) { ::operator delete(p, alignment); });
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(bytes.get()));
  return decode_model({bytes.get(), text.size()}, bytes, file);
}

Model load_model(const std::filesystem::path& path) { return parse_model(read_text(path), path.string()); }

}  // namespace triptych::aam_fit
