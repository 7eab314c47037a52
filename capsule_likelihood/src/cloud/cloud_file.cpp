// Clouds from PLY and text files.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/text_scanner.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "cloud/add_point.hpp"

namespace triptych::capsule_likelihood {

namespace {

class Collector {
 public:
  Collector(const std::string& file, double metres_per_unit) : scale_(metres_per_unit) {
    require(metres_per_unit > 0 && std::isfinite(metres_per_unit), "a unit of ", metres_per_unit,
            " m is out of range for ", file);
  }
  void add(const std::array<double, 3>& p) {
    detail::add_point(cloud_, p[0] * scale_, p[1] * scale_, p[2] * scale_);
  }
  void reserve(std::size_t points) { cloud_.points.reserve(points); }
  Cloud take() { return std::move(cloud_); }

 private:
  double scale_;
  Cloud cloud_;
};

// A number that may be nan or inf: such points are dropped, not refused.
double any_number(TextScanner& scan, std::string_view word, const char* what) {
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  if (whole && error == std::errc::result_out_of_range) return std::nan("");
  if (!whole || error != std::errc()) {
    scan.fail(std::string("expected ") + what + ", a number, found " + scan.describe(word));
  }
  return value;
}

Cloud parse_text(std::string_view text, const std::string& file, double metres_per_unit) {
  Collector cloud(file, metres_per_unit);
  TextScanner scan(text, file);
  while (!scan.at_end()) {
    const std::string_view line = scan.rest_of_line();
    if (line.starts_with('#') || line.starts_with("//")) continue;
    std::array<double, 3> point = {};
    std::size_t at = 0;
    for (double& value : point) {
      const std::size_t begin = std::min(line.find_first_not_of(" \t,;", at), line.size());
      at = std::min(line.find_first_of(" \t,;", begin), line.size());
      value = any_number(scan, line.substr(begin, at - begin), "a coordinate");
    }
    cloud.add(point);
  }
  return cloud.take();
}

enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };
constexpr std::array<std::size_t, 8> scalar_bytes = {1, 1, 2, 2, 4, 4, 4, 8};

enum class Order { ascii, little, big };

struct Property {
  std::string name;
  Scalar type = Scalar::f32;
  bool is_list = false;
  Scalar count_type = Scalar::u8;
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& file, double metres_per_unit)
      : bytes_(bytes), file_(file), scan_(bytes, file), cloud_(file, metres_per_unit) {}

  Cloud read() {
    read_header();
    for (const Element& element : elements_) {
      if (element.name == "vertex") {
        read_vertices(element);
        return cloud_.take();
      }
      for (std::int64_t i = 0; i < element.count && !element.properties.empty(); ++i) {
        for (const Property& property : element.properties) read_property(property);
      }
    }
    throw ParseError(file_, 0, 0, "the file has no element \"vertex\"");
  }

 private:
  void read_header() {
    scan_.expect("ply");
    scan_.expect("format");
    const std::string_view format = scan_.word();
    if (format == "ascii") {
      order_ = Order::ascii;
    } else if (format == "binary_little_endian") {
      order_ = Order::little;
    } else if (format == "binary_big_endian") {
      order_ = Order::big;
    } else {
      scan_.fail("expected a format that is known, found " + scan_.describe(format));
    }
    scan_.expect("1.0");
    for (std::string_view word = scan_.word(); word != "end_header"; word = scan_.word()) {
      if (word == "comment" || word == "obj_info") {
        scan_.rest_of_line();
      } else if (word == "element") {
        count_declaration();
        Element element;
        element.name = scan_.word();
        element.count = scan_.count("the number of elements");
        elements_.push_back(std::move(element));
      } else if (word == "property") {
        count_declaration();
        if (elements_.empty()) scan_.fail("a property stands before any element");
        elements_.back().properties.push_back(read_property_line());
      } else {
        scan_.fail("expected comment, element, property or end_header, found " + scan_.describe(word));
      }
    }
    // Binary data begin after the line's end.
    const std::size_t end = bytes_.find('\n', scan_.position());
    at_ = end == std::string_view::npos ? bytes_.size() : end + 1;
  }

  void count_declaration() {
    constexpr int max_declarations = 10'000;
    if (++declarations_ > max_declarations) scan_.fail("more than 10000 elements and properties");
  }

  Scalar scalar(std::string_view name) {
    constexpr std::array<std::string_view, 8> classic = {"char", "uchar", "short", "ushort",
                                                         "int",  "uint",  "float", "double"};
    constexpr std::array<std::string_view, 8> sized = {"int8",  "uint8",  "int16",   "uint16",
                                                       "int32", "uint32", "float32", "float64"};
    for (std::size_t i = 0; i < 8; ++i) {
      if (name == classic[i] || name == sized[i]) return static_cast<Scalar>(i);
    }
    scan_.fail("expected a type such as float or uchar, found " + scan_.describe(name));
  }

  Property read_property_line() {
    Property property;
    std::string_view word = scan_.word();
    if (word == "list") {
      property.is_list = true;
      property.count_type = scalar(scan_.word());
      if (property.count_type >= Scalar::f32) scan_.fail("the length of a list is a whole number");
      word = scan_.word();
    }
    property.type = scalar(word);
    property.name = scan_.word();
    if (property.name.empty()) scan_.fail("expected the name of a property");
    return property;
  }

  void read_vertices(const Element& element) {
    std::array<std::size_t, 3> where = {};
    constexpr std::array<std::string_view, 3> names = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto found = std::ranges::find(element.properties, names[i], &Property::name);
      if (found == element.properties.end() || found->is_list) {
        throw ParseError(file_, 0, 0, "the vertices have no number " + std::string(names[i]));
      }
      where[i] = static_cast<std::size_t>(found - element.properties.begin());
    }
    std::vector<double> values(element.properties.size());
    // A value takes at least a byte, whatever the header promises.
    const std::size_t max_count = (bytes_.size() - at_) / values.size();
    cloud_.reserve(static_cast<std::size_t>(
        std::min<std::int64_t>(element.count, static_cast<std::int64_t>(max_count))));
    for (vertex_ = 0; vertex_ < element.count; ++vertex_) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = read_property(element.properties[i]);
      cloud_.add({values[where[0]], values[where[1]], values[where[2]]});
    }
  }

  // The value; of a list, its length, the values passed over.
  double read_property(const Property& property) {
    if (!property.is_list) return read_scalar(property.type);
    const double length = read_scalar(property.count_type);
    if (!(length >= 0) || length != std::floor(length)) fail("a list has no whole number as its length");
    for (double i = 0; i < length; ++i) read_scalar(property.type);
    return length;
  }

  double read_scalar(Scalar type) {
    if (order_ == Order::ascii) return any_number(scan_, scan_.word(), "a value");
    const std::size_t size = scalar_bytes[static_cast<std::size_t>(type)];
    if (bytes_.size() - at_ < size) fail("the data end too early");
    std::array<unsigned char, 8> raw = {};
    const bool swapped = (order_ == Order::little) != (std::endian::native == std::endian::little);
    for (std::size_t i = 0; i < size; ++i)
      raw[i] = static_cast<unsigned char>(bytes_[at_ + (swapped ? size - 1 - i : i)]);
    at_ += size;
    switch (type) {
      case Scalar::i8:
        return as<std::int8_t>(raw);
      case Scalar::u8:
        return as<std::uint8_t>(raw);
      case Scalar::i16:
        return as<std::int16_t>(raw);
      case Scalar::u16:
        return as<std::uint16_t>(raw);
      case Scalar::i32:
        return as<std::int32_t>(raw);
      case Scalar::u32:
        return as<std::uint32_t>(raw);
      case Scalar::f32:
        return static_cast<double>(as<float>(raw));
      case Scalar::f64:
        break;
    }
    return as<double>(raw);
  }

  template <class T>
  static T as(const std::array<unsigned char, 8>& raw) {
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  [[noreturn]] void fail(const std::string& reason) {
    if (order_ == Order::ascii) scan_.fail(reason);
    throw ParseError(file_, 0, 0, "vertex " + std::to_string(vertex_) + ": " + reason);
  }

  std::string_view bytes_;
  std::string file_;
  TextScanner scan_;
  Collector cloud_;
  Order order_ = Order::ascii;
  std::vector<Element> elements_;
  int declarations_ = 0;
  std::size_t at_ = 0;
  std::int64_t vertex_ = 0;
};

}  // namespace

Cloud parse_cloud(std::string_view bytes, const std::string& file, double metres_per_unit) {
  const bool is_ply = bytes.starts_with("ply\n") || bytes.starts_with("ply\r");
  return is_ply ? PlyReader(bytes, file, metres_per_unit).read() : parse_text(bytes, file, metres_per_unit);
}

Cloud read_cloud(const std::filesystem::path& path, double metres_per_unit) {
  return parse_cloud(read_text(path), path.string(), metres_per_unit);
}

void write_ply(const std::filesystem::path& path, std::span<const Vec3> points) {
  std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " +
                      std::to_string(points.size()) +
                      "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  bytes.reserve(bytes.size() + points.size() * sizeof(Vec3));
  for (const Vec3& p : points) {
    for (const float value : {p.x, p.y, p.z}) {
      auto bits = std::bit_cast<std::uint32_t>(value);
      if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap32(bits);
      std::array<char, 4> raw;
      std::memcpy(raw.data(), &bits, 4);
      bytes.append(raw.data(), 4);
    }
  }
  write_file_atomically(path, bytes);
}

}  // namespace triptych::capsule_likelihood
