// Landmark files: .pts (iBUG, 300-W) and .asf (IMM), and folders of images with them.
#pragma once

#include <triptych/aam_fit/example.hpp>
#include <triptych/aam_fit/shape.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::aam_fit {

// ParseError with the line and the reason. Coordinates of .pts files count from 1 in the convention of 300-W;
// one_based takes that 1 off.
Shape parse_pts(std::string_view text, const std::string& file, bool one_based = false);
Shape read_pts(const std::filesystem::path& path, bool one_based = false);
// InvalidArgument when parse_pts() would not read it: no points, more than 65,535, or one beyond 1e6 pixels.
void write_pts(const std::filesystem::path& path, std::span<const Point> shape);

// Coordinates are shares of the image's size.
struct AsfFile {
  Shape relative;
  std::string image;  // as the last line names it; may be empty
};
AsfFile parse_asf(std::string_view text, const std::string& file);
AsfFile read_asf(const std::filesystem::path& path);

// Reads any image as grey. The default reads PGM and PPM (binary, 8 bits).
using ImageReader = std::function<Image<Grey8>(const std::filesystem::path&)>;
Image<Grey8> read_pnm(const std::filesystem::path& path);
void write_pgm(const std::filesystem::path& path, const Image<Grey8>& image);

// An image and its landmark file.
struct Pair {
  std::filesystem::path image, landmarks;
};
// The pairs of a folder (landmarks: another folder; empty: the same, or its subfolder asf or pts), in the
// order of their names. extensions: of images that the reader takes, with dots, lower case. Error, naming the
// file, when there is none, or an image has no landmarks or the other way round.
std::vector<Pair> find_pairs(const std::filesystem::path& images, const std::filesystem::path& landmarks,
                             const std::vector<std::string>& extensions);
// Error, naming the file, when a file cannot be read or the counts of points differ.
std::vector<Example> load_examples(const std::vector<Pair>& pairs, const ImageReader& reader = read_pnm,
                                   const Progress& progress = {});

}  // namespace triptych::aam_fit
