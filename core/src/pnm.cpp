#include <triptych/core/pnm.hpp>
#include <triptych/core/text_scanner.hpp>

namespace triptych {

namespace {

constexpr std::int64_t max_pixels = std::int64_t{1} << 31;

std::int64_t header_count(TextScanner& scan, const char* what, std::int64_t max_count) {
  const double value = scan.to_number(scan.word_past_comments(), what);
  if (!(value >= 1 && value <= static_cast<double>(max_count)) ||
      value != static_cast<double>(static_cast<std::int64_t>(value))) {
    scan.fail(std::string(what) + " is out of range");
  }
  return static_cast<std::int64_t>(value);
}

// The bytes after the whitespace character that ends a header; ParseError when there are fewer than needed.
std::string_view data_after(const TextScanner& scan, std::string_view bytes, std::int64_t needed) {
  const std::size_t begin = scan.position() + 1;
  if (begin > bytes.size() || bytes.size() - begin < static_cast<std::size_t>(needed)) {
    scan.fail("the image needs " + std::to_string(needed) + " bytes, the file has " +
              std::to_string(begin > bytes.size() ? 0 : bytes.size() - begin));
  }
  return bytes.substr(begin, static_cast<std::size_t>(needed));
}

}  // namespace

PnmImage parse_pnm(std::string_view bytes, const std::string& file, std::string_view magics,
                   const std::string& expected) {
  TextScanner scan(bytes, file);
  PnmImage image;
  image.magic = scan.word_past_comments();
  if (image.magic.size() != 2 || magics.find(image.magic) == std::string_view::npos) scan.fail(expected);
  image.width = header_count(scan, "the width", 1 << 20);
  image.height = header_count(scan, "the height", 1 << 20);
  if (image.width * image.height > max_pixels) scan.fail("the image is too large");
  image.channels = image.magic == "P6" || image.magic == "PF" ? 3 : 1;
  std::int64_t sample_bytes = 4;
  if (image.magic == "Pf" || image.magic == "PF") {
    image.scale = scan.to_number(scan.word_past_comments(), "the scale");
    if (image.scale == 0) scan.fail("the sign of the scale is the byte order: the scale cannot be 0");
  } else {
    image.largest = header_count(scan, "the largest value", 65535);
    sample_bytes = image.largest > 255 ? 2 : 1;
  }
  image.samples = data_after(scan, bytes, image.width * image.height * image.channels * sample_bytes);
  return image;
}

}  // namespace triptych
