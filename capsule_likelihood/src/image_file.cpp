// PGM and PFM images.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <bit>
#include <cstring>

#include "text_scanner.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr std::int64_t most_pixels = std::int64_t{1} << 31;

// The next word of a header, comments passed over.
std::string_view header_word(detail::TextScanner& scan) {
  std::string_view word = scan.word();
  while (!word.empty() && word.front() == '#') {
    scan.back();
    scan.rest_of_line();
    word = scan.word();
  }
  return word;
}

std::int64_t header_count(detail::TextScanner& scan, const char* what, std::int64_t most) {
  const double value = scan.to_number(header_word(scan), what);
  if (!(value >= 1 && value <= static_cast<double>(most)) ||
      value != static_cast<double>(static_cast<std::int64_t>(value))) {
    scan.fail(std::string(what) + " is out of range");
  }
  return static_cast<std::int64_t>(value);
}

// The bytes after the one space that ends a header; ParseError when they are fewer than wanted.
std::string_view data_after(const detail::TextScanner& scan, std::string_view bytes, std::int64_t wanted) {
  const std::size_t begin = scan.position() + 1;
  if (begin > bytes.size() || bytes.size() - begin < static_cast<std::size_t>(wanted)) {
    scan.fail("the image needs " + std::to_string(wanted) + " bytes, the file has " +
              std::to_string(begin > bytes.size() ? 0 : bytes.size() - begin));
  }
  return bytes.substr(begin, static_cast<std::size_t>(wanted));
}

}  // namespace

HostImage<std::uint16_t> parse_pgm(std::string_view bytes, const std::string& file) {
  detail::TextScanner scan(bytes, file);
  if (header_word(scan) != "P5") scan.fail("expected a binary PGM image, which begins with P5");
  HostImage<std::uint16_t> image;
  image.width = header_count(scan, "the width", 1 << 20);
  image.height = header_count(scan, "the height", 1 << 20);
  if (image.width * image.height > most_pixels) scan.fail("the image is too large");
  const bool wide = header_count(scan, "the largest value", 65535) > 255;
  const std::string_view data = data_after(scan, bytes, image.width * image.height * (wide ? 2 : 1));
  image.pixels.resize(static_cast<std::size_t>(image.width * image.height));
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(data[i])); };
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<std::uint16_t>(wide ? byte(2 * i) << 8 | byte(2 * i + 1) : byte(i));
  }
  return image;
}

HostImage<std::uint16_t> read_pgm(const std::filesystem::path& path) {
  return parse_pgm(read_text(path), path.string());
}

HostImage<float> parse_pfm(std::string_view bytes, const std::string& file) {
  detail::TextScanner scan(bytes, file);
  if (header_word(scan) != "Pf") scan.fail("expected a PFM image of one channel, which begins with Pf");
  HostImage<float> image;
  image.width = header_count(scan, "the width", 1 << 20);
  image.height = header_count(scan, "the height", 1 << 20);
  if (image.width * image.height > most_pixels) scan.fail("the image is too large");
  const double scale = scan.to_number(header_word(scan), "the scale");
  if (scale == 0) scan.fail("the scale says the order of bytes by its sign and cannot be 0");
  const std::string_view data = data_after(scan, bytes, image.width * image.height * 4);
  image.pixels.resize(static_cast<std::size_t>(image.width * image.height));
  const bool swap = (scale < 0) != (std::endian::native == std::endian::little);
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, data.data() + 4 * ((height - 1 - y) * width + x), 4);
      image.pixels[y * width + x] = std::bit_cast<float>(swap ? __builtin_bswap32(bits) : bits);
    }
  }
  return image;
}

HostImage<float> read_pfm(const std::filesystem::path& path) {
  return parse_pfm(read_text(path), path.string());
}

}  // namespace triptych::capsule_likelihood
