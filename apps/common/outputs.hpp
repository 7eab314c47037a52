// Output files that appear together at the end of a run that went well, or not at all.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace triptych::apps {

// Files are written under temporary names in their folders; commit() gives them their real ones. Without it,
// the destructor removes them, and the folders that were made for them.
class Outputs {
 public:
  Outputs() = default;
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  // Makes the folder and those above it; Error when it cannot be made or written to.
  void make_folder(const std::filesystem::path& folder);
  // Creates an empty file, with the folder it lies in, and returns the name to write to, which ends like
  // file. Error when that cannot be done or file exists and is not a plain file.
  std::filesystem::path add(const std::filesystem::path& file);
  // Forgets and removes a file of add().
  void drop(const std::filesystem::path& temporary);

  // Error when a file cannot be given its name.
  void commit();

 private:
  struct Pending {
    std::filesystem::path temporary, file;
  };
  std::vector<Pending> pending_;
  std::vector<std::filesystem::path> made_folders_;
};

// Error with the file's name when that fails.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace triptych::apps
