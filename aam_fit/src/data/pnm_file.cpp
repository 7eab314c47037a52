// Grey images as PGM files, and colour ones (PPM) read as grey.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/pnm.hpp>

#include <algorithm>

namespace triptych::aam_fit {

Image<Grey8> read_pnm(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  const PnmImage pnm = parse_pnm(
      bytes, path.string(), "P5 P6",
      "expected a binary PGM or PPM image (this reader knows no other), which begins with P5 or P6");
  if (pnm.largest > 255) throw ParseError(path.string(), 0, 0, "the image has 16 bits a sample, not 8");
  Image<Grey8> image(pnm.width, pnm.height);
  const auto largest = static_cast<unsigned>(pnm.largest);
  const auto sample = [&](std::size_t i) {
    return std::min(largest, static_cast<unsigned>(static_cast<unsigned char>(pnm.samples[i])));
  };
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    // Rec. 601 luma, to the nearest.
    const unsigned grey =
        pnm.channels == 1
            ? sample(i)
            : (299 * sample(3 * i) + 587 * sample(3 * i + 1) + 114 * sample(3 * i + 2) + 500) / 1000;
    image.pixels[i] = {static_cast<std::uint8_t>((grey * 255 + largest / 2) / largest)};
  }
  return image;
}

void write_pgm(const std::filesystem::path& path, const Image<Grey8>& image) {
  require(image.width > 0 && image.height > 0 &&
              image.pixels.size() ==
                  static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
          "cannot write an image of ", image.width, " x ", image.height, " pixels with ", image.pixels.size(),
          " values");
  std::string bytes = "P5\n" + std::to_string(image.width) + ' ' + std::to_string(image.height) + "\n255\n";
  bytes.append(reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size());
  write_file_atomically(path, bytes);
}

}  // namespace triptych::aam_fit
