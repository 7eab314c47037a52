// PGM and PFM images.
#include <triptych/capsule_likelihood/image_file.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/pnm.hpp>

#include <bit>
#include <cstring>

namespace triptych::capsule_likelihood {

Image<std::uint16_t> parse_pgm(std::string_view bytes, const std::string& file) {
  const PnmImage pnm = parse_pnm(bytes, file, "P5", "expected a binary PGM image, which begins with P5");
  Image<std::uint16_t> image(pnm.width, pnm.height);
  const bool wide = pnm.largest > 255;
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(pnm.samples[i]));
  };
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<std::uint16_t>(wide ? byte(2 * i) << 8 | byte(2 * i + 1) : byte(i));
  }
  return image;
}

Image<std::uint16_t> read_pgm(const std::filesystem::path& path) {
  return parse_pgm(read_text(path), path.string());
}

Image<float> parse_pfm(std::string_view bytes, const std::string& file) {
  const PnmImage pnm =
      parse_pnm(bytes, file, "Pf", "expected a PFM image of one channel, which begins with Pf");
  Image<float> image(pnm.width, pnm.height);
  const bool swap = (pnm.scale < 0) != (std::endian::native == std::endian::little);
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, pnm.samples.data() + 4 * ((height - 1 - y) * width + x), 4);
      image.pixels[y * width + x] = std::bit_cast<float>(swap ? __builtin_bswap32(bits) : bits);
    }
  }
  return image;
}

Image<float> read_pfm(const std::filesystem::path& path) { return parse_pfm(read_text(path), path.string()); }

}  // namespace triptych::capsule_likelihood
