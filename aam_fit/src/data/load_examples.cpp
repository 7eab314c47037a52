// Folders of images with their landmark files.
#include <triptych/aam_fit/landmark_file.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace triptych::aam_fit {

namespace fs = std::filesystem;

namespace {

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

// The files of a folder with one of these endings, by their names without them.
std::map<std::string, fs::path> files_in(const fs::path& folder, const std::vector<std::string>& extensions) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) throw Error(folder.string() + " is no folder");
  fs::directory_iterator entries(folder, problem);
  if (problem) throw Error("cannot read the folder " + folder.string() + ": " + problem.message());
  std::map<std::string, fs::path> found;
  for (; entries != fs::directory_iterator(); entries.increment(problem)) {
    const fs::directory_entry& entry = *entries;
    const std::string extension = lower_extension(entry.path());
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) continue;
    if (std::error_code unknown; !entry.is_regular_file(unknown)) continue;
    const auto [place, fresh] = found.emplace(entry.path().stem().string(), entry.path());
    if (!fresh) {
      throw Error(folder.string() + " has two files for one face: " + place->second.filename().string() +
                  " and " + entry.path().filename().string());
    }
  }
  if (problem) throw Error("cannot read the folder " + folder.string() + ": " + problem.message());
  return found;
}

const std::vector<std::string>& landmark_extensions() {
  static const std::vector<std::string> all{".pts", ".asf"};
  return all;
}

// The landmark files of a folder of images, or of its subfolders by their usual names.
std::map<std::string, fs::path> landmarks_near(const fs::path& images) {
  std::map<std::string, fs::path> found = files_in(images, landmark_extensions());
  for (const char* subfolder : {"pts", "asf"}) {
    if (!found.empty()) break;
    if (std::error_code unknown; fs::is_directory(images / subfolder, unknown))
      found = files_in(images / subfolder, landmark_extensions());
  }
  return found;
}

// The folder's name, so that a message needs no more than one path.
std::string beside(const fs::path& images, const fs::path& landmarks) {
  return landmarks.empty() ? images.string() + " (or its subfolders pts and asf)" : landmarks.string();
}

Shape read_landmarks(const fs::path& path, const Image<Grey8>& image) {
  if (lower_extension(path) == ".pts") return read_pts(path);
  Shape shape = read_asf(path).relative;
  for (Point& p : shape)
    p = {p.x * static_cast<double>(image.width), p.y * static_cast<double>(image.height)};
  return shape;
}

}  // namespace

std::vector<Pair> find_pairs(const fs::path& images, const fs::path& landmarks,
                             const std::vector<std::string>& extensions) {
  const std::map<std::string, fs::path> pictures = files_in(images, extensions);
  const std::map<std::string, fs::path> shapes =
      landmarks.empty() ? landmarks_near(images) : files_in(landmarks, landmark_extensions());
  if (pictures.empty()) throw Error("there is no image in " + images.string());
  if (shapes.empty()) {
    throw Error("there are no landmarks (.pts or .asf files) in " + beside(images, landmarks));
  }
  std::vector<Pair> pairs;
  pairs.reserve(pictures.size());
  for (const auto& [name, picture] : pictures) {
    const auto shape = shapes.find(name);
    if (shape == shapes.end()) {
      throw Error(picture.string() + " has no landmarks: there is no " + name + ".pts or .asf in " +
                  beside(images, landmarks));
    }
    pairs.push_back({picture, shape->second});
  }
  for (const auto& [name, shape] : shapes) {
    if (pictures.find(name) == pictures.end()) {
      throw Error(shape.string() + " has no image in " + images.string());
    }
  }
  return pairs;
}

std::vector<Example> load_examples(const std::vector<Pair>& pairs, const ImageReader& reader,
                                   const Progress& progress) {
  require(reader != nullptr, "load_examples needs a reader of images");
  std::vector<Example> examples;
  examples.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    Example& example = examples.emplace_back();
    example.name = pair.image.filename().string();
    example.image = reader(pair.image);
    example.landmarks = read_landmarks(pair.landmarks, example.image);
    if (example.landmarks.size() != examples.front().landmarks.size()) {
      throw Error(pair.landmarks.string() + " has " + std::to_string(example.landmarks.size()) +
                  " points, but " + pairs.front().landmarks.string() + " has " +
                  std::to_string(examples.front().landmarks.size()) + ": all must have the same");
    }
    if (progress) {
      progress("reading faces", static_cast<std::int64_t>(examples.size()),
               static_cast<std::int64_t>(pairs.size()));
    }
  }
  return examples;
}

}  // namespace triptych::aam_fit
