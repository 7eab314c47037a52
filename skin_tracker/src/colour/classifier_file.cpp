#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/json.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace triptych::skin_tracker {

namespace {

namespace fs = std::filesystem;

constexpr const char* format_name = "triptych skin classifier";
constexpr int format_version = 1;

fs::path table_beside(const fs::path& file) {
  fs::path table = file;
  table += ".table";
  return table;
}

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw ParseError(file.string(), 0, 0, what);
}

// ---- the table: "TRISKINT", version, bits, a checksum of the cells (FNV-1a), the cells; little-endian ----

constexpr std::array<char, 8> table_magic{'T', 'R', 'I', 'S', 'K', 'I', 'N', 'T'};
constexpr std::size_t table_header_bytes = 24;

template <class T>
void append_little_endian(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

template <class T>
T read_little_endian(const std::string& bytes, std::size_t at_byte) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<unsigned char>(bytes[at_byte + i])) << (8 * i);
  }
  return value;
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

std::string hexadecimal(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[value >> (4 * i) & 15];
  return text;
}

struct Table {
  std::string bytes;
  std::uint64_t sum;
};

Table table_of(const HistogramRatio& histogram) {
  std::string cells;
  cells.reserve(4 * histogram.share.size());
  for (const float share : histogram.share) append_little_endian(cells, std::bit_cast<std::uint32_t>(share));
  Table table{std::string(table_magic.begin(), table_magic.end()), checksum(cells)};
  append_little_endian(table.bytes, static_cast<std::uint32_t>(format_version));
  append_little_endian(table.bytes, static_cast<std::uint32_t>(histogram.bits));
  append_little_endian(table.bytes, table.sum);
  table.bytes += cells;
  return table;
}

// The bytes of the file. ParseError unless its size is expected_bytes.
std::string read_table(const fs::path& file, std::uintmax_t expected_bytes) {
  std::error_code code;
  const std::uintmax_t size = fs::file_size(file, code);
  if (code) fail(file, "the table that belongs to the classifier cannot be read: " + code.message());
  if (size != expected_bytes) {
    fail(file,
         "expected a table of " + std::to_string(expected_bytes) + " bytes, found " + std::to_string(size));
  }
  std::string bytes;
  try {
    bytes = read_text(file);
  } catch (const Error& error) {
    fail(file, std::string("the table that belongs to the classifier cannot be read: ") + error.what());
  }
  if (bytes.size() != expected_bytes) fail(file, "the table changed while it was read");
  return bytes;
}

HistogramRatio load_histogram(const fs::path& file, const Json& json) {
  HistogramRatio histogram;
  histogram.bits = at<int>(json, "bits", file.string());
  if (histogram.bits < 1 || histogram.bits > 8) {
    fail(file, "expected \"bits\" to be 1 to 8, found " + std::to_string(histogram.bits));
  }
  const std::string expected_sum = at<std::string>(json, "table_checksum", file.string());
  const fs::path table = table_beside(file);
  const std::size_t cells = std::size_t{1} << (3 * histogram.bits);
  const std::string bytes = read_table(table, table_header_bytes + 4 * cells);
  if (!std::equal(table_magic.begin(), table_magic.end(), bytes.begin())) {
    fail(table, "expected the table of a skin classifier; the first bytes are not those of one");
  }
  const auto version = read_little_endian<std::uint32_t>(bytes, 8);
  if (version != std::uint32_t{format_version}) {
    fail(table, "expected version " + std::to_string(format_version) + ", found " + std::to_string(version));
  }
  const auto bits = read_little_endian<std::uint32_t>(bytes, 12);
  if (bits != static_cast<std::uint32_t>(histogram.bits)) {
    fail(table,
         "expected " + std::to_string(histogram.bits) + " bits per channel, found " + std::to_string(bits));
  }
  const std::uint64_t sum = checksum(std::string_view(bytes).substr(table_header_bytes));
  if (sum != read_little_endian<std::uint64_t>(bytes, 16)) {
    fail(table, "the checksum does not match: the table is damaged");
  }
  if (hexadecimal(sum) != expected_sum) {
    fail(table, "the table belongs to another classifier than " + file.string());
  }
  histogram.share.reserve(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const auto share =
        std::bit_cast<float>(read_little_endian<std::uint32_t>(bytes, table_header_bytes + 4 * i));
    if (!(share >= 0 && share <= 1)) fail(table, "cell " + std::to_string(i) + " is not from 0 to 1");
    histogram.share.push_back(share);
  }
  return histogram;
}

// ---- the other classifiers: numbers in the JSON file ----

double number(const Json& json, const std::string& key, const fs::path& file) {
  const auto value = at<double>(json, key, file.string());
  if (!std::isfinite(value)) fail(file, "expected \"" + key + "\" to be finite");
  return value;
}

template <std::size_t n>
std::array<double, n> numbers(const Json& json, const std::string& key, const fs::path& file) {
  const Json list = triptych::detail::member(json, key, file.string());
  if (!list.is_array() || list.size() != n) {
    fail(file, "expected \"" + key + "\" to be a list of " + std::to_string(n) + " numbers, found " +
                   (list.is_array() ? std::to_string(list.size()) + " of them" : list.type_name()));
  }
  std::array<double, n> values{};
  for (std::size_t i = 0; i < n; ++i) {
    if (!list[i].is_number() || !std::isfinite(list[i].get<double>())) {
      fail(file, "expected number " + std::to_string(i) + " of \"" + key + "\" to be a finite number");
    }
    values[i] = list[i].get<double>();
  }
  return values;
}

LinearFilter load_linear(const fs::path& file, const Json& json) {
  const auto f = numbers<4>(json, "filter", file);
  return {f[0], f[1], f[2], f[3]};
}

GaussianPair::Normal load_normal(const fs::path& file, const Json& json, const std::string& key) {
  const Json object = triptych::detail::member(json, key, file.string());
  GaussianPair::Normal normal{numbers<3>(object, "mean", file), numbers<9>(object, "precision", file),
                              number(object, "log_scale", file)};
  const auto& p = normal.precision;
  if (p[1] != p[3] || p[2] != p[6] || p[5] != p[7] || p[0] < 0 || p[4] < 0 || p[8] < 0) {
    fail(file, "expected \"precision\" of \"" + key + "\" to be symmetric, its diagonal not negative");
  }
  return normal;
}

GaussianPair load_gaussian(const fs::path& file, const Json& json, ColourSpace space) {
  return {space, load_normal(file, json, "skin"), load_normal(file, json, "other")};
}

ChrominanceEllipse load_ellipse(const fs::path& file, const Json& json) {
  const ChrominanceEllipse e{numbers<2>(json, "mean", file), numbers<3>(json, "precision", file),
                             number(json, "edge", file), number(json, "softness", file)};
  const auto& p = e.precision;
  if (!(p[0] >= 0 && p[2] >= 0 && p[1] * p[1] <= p[0] * p[2])) {
    fail(file, "expected \"precision\" to describe an ellipse");
  }
  if (!(e.edge > 0 && e.softness > 0 && e.softness <= 2 * e.edge)) {
    fail(file, "expected \"edge\" to be positive and \"softness\" to lie between 0 and twice the edge");
  }
  return e;
}

Json json_of(const LinearFilter& f) { return {{"filter", {f.r, f.g, f.b, f.d}}}; }
Json json_of(const GaussianPair::Normal& n) {
  return {{"mean", n.mean}, {"precision", n.precision}, {"log_scale", n.log_scale}};
}
Json json_of(const GaussianPair& pair) {
  return {{"skin", json_of(pair.skin)}, {"other", json_of(pair.other)}};
}
Json json_of(const ChrominanceEllipse& e) {
  return {{"mean", e.mean}, {"precision", e.precision}, {"edge", e.edge}, {"softness", e.softness}};
}
Json json_of(const HistogramRatio& h) { return {{"bits", h.bits}}; }

bool all_finite(const Json& json) {
  if (json.is_structured()) return std::all_of(json.begin(), json.end(), all_finite);
  return !json.is_number() || std::isfinite(json.get<double>());
}

}  // namespace

void save_classifier(const fs::path& file, const Classifier& classifier) {
  static_cast<void>(weight(classifier, Rgb8{0, 0, 0}));  // InvalidArgument for a histogram of a wrong size
  Json json = std::visit([](const auto& kind) { return json_of(kind); }, classifier);
  require(all_finite(json), "a classifier with a number that is not finite cannot be saved");
  json["format"] = format_name;
  json["version"] = format_version;
  json["classifier"] = name_of(classifier);
  if (const auto* histogram = std::get_if<HistogramRatio>(&classifier)) {
    for (const float share : histogram->share)
      require(share >= 0 && share <= 1, "a histogram with a share of ", share,
              " cannot be saved: shares are from 0 to 1");
    const Table table = table_of(*histogram);
    json["table_checksum"] = hexadecimal(table.sum);
    write_file_atomically(table_beside(file), table.bytes);
  }
  write_json(file, json);
}

Classifier load_classifier(const fs::path& file) {
  const Json json = read_json(file);
  const std::string context = file.string();
  const auto format = at<std::string>(json, "format", context);
  if (format != format_name) fail(file, std::string("expected the format \"") + format_name + "\"");
  const int version = at<int>(json, "version", context);
  if (version != format_version) {
    fail(file, "expected version " + std::to_string(format_version) + ", found " + std::to_string(version));
  }
  const auto name = at<std::string>(json, "classifier", context);
  if (name == "linear") return load_linear(file, json);
  if (name == "gaussian_rgb") return load_gaussian(file, json, ColourSpace::rgb);
  if (name == "gaussian_crcb") return load_gaussian(file, json, ColourSpace::crcb);
  if (name == "gaussian_rg") return load_gaussian(file, json, ColourSpace::rg);
  if (name == "gaussian_hsv") return load_gaussian(file, json, ColourSpace::hsv);
  if (name == "ellipse") return load_ellipse(file, json);
  if (name == "histogram") return load_histogram(file, json);
  std::string known;
  for (const std::string_view n : classifier_names()) known.append(known.empty() ? "" : ", ").append(n);
  fail(file, "expected \"classifier\" to be one of " + known);
}

// ---- labelled pixels ----

namespace {

// A cursor in the text of a file.
class Rows {
 public:
  Rows(const fs::path& file, std::string_view text) : file_(file), text_(text) {}

  // Skips empty lines; false at the end of the text.
  bool next_row() {
    while (at_ < text_.size() && is_line_end(text_[at_])) end_line();
    return at_ < text_.size();
  }

  int number(int least, int most, const char* what) {
    const std::size_t begin = at_;
    int value = 0;
    while (at_ < text_.size() && at_ - begin < 4 && text_[at_] >= '0' && text_[at_] <= '9') {
      value = 10 * value + (text_[at_++] - '0');
    }
    if (at_ == begin || value < least || value > most) {
      at_ = begin;
      expected(std::string(what) + " from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }

  void comma() {
    if (at_ == text_.size() || text_[at_] != ',') expected("a comma");
    ++at_;
  }

  void end_of_row() {
    if (at_ == text_.size()) return;
    if (!is_line_end(text_[at_])) expected("the end of the line after \"B,G,R,label\"");
    end_line();
  }

 private:
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

  void end_line() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    line_begin_ = ++at_;
    ++line_;
  }

  [[noreturn]] void expected(const std::string& what) const {
    std::string found = "the end of the file";
    if (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_, 20);
      found = "\"" + std::string(rest.substr(0, rest.find_first_of("\r\n"))) + "\"";
    }
    throw ParseError(file_.string(), line_, static_cast<std::int64_t>(at_ - line_begin_) + 1,
                     "expected " + what + ", found " + found);
  }

  const fs::path& file_;
  std::string_view text_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

std::vector<LabelledPixel> read_labelled_pixels(const fs::path& csv) {
  const std::string text = read_text(csv);
  Rows rows(csv, text);
  std::vector<LabelledPixel> pixels;
  pixels.reserve(text.size() / 12);
  const auto channel = [&](const char* what) {
    const auto value = static_cast<std::uint8_t>(rows.number(0, 255, what));
    rows.comma();
    return value;
  };
  while (rows.next_row()) {
    const std::uint8_t b = channel("a blue value");
    const std::uint8_t g = channel("a green value");
    const std::uint8_t r = channel("a red value");
    const bool skin = rows.number(1, 2, "a label") == 1;
    rows.end_of_row();
    pixels.push_back({{r, g, b}, skin});
  }
  if (pixels.empty()) fail(csv, "expected rows \"B,G,R,label\", found none");
  return pixels;
}

}  // namespace triptych::skin_tracker
