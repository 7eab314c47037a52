// Outputs: the output files of a run, which appear only when the whole run succeeds.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace triptych::apps {

// Files are written under temporary names in their folders; commit() renames them. Without commit() the
// destructor removes them and the folders that were created for them.
class Outputs {
 public:
  Outputs() = default;
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  // Creates the folder and its parents. Error when it cannot be created or written to.
  void make_folder(const std::filesystem::path& folder);
  // Creates an empty temporary file with the extension of file, and its folder, and returns its name. Error
  // when that fails, or when file exists and is not a regular file.
  std::filesystem::path add(const std::filesystem::path& file);
  // Removes a file that add() returned.
  void drop(const std::filesystem::path& temporary);

  // Renames all files. Error when a file is empty or cannot be renamed.
  void commit();

 private:
  struct Pending {
    std::filesystem::path temporary, file;
  };
  std::vector<Pending> pending_;
  std::vector<std::filesystem::path> made_folders_;
};

// Writes the text. Error with the name of the file when that fails.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace triptych::apps
