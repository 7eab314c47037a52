// Outputs: the output files of a run. A file gets its name when it is complete; until then it is called
// <stem>.part-<process>-<number>.<extension>.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::apps {

// commit() renames all files. Without it, salvage() or the destructor renames those that were kept() and
// removes the others and the folders that were created for them.
class Outputs {
 public:
  Outputs() = default;
  ~Outputs() { salvage(); }
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  // Creates the folder and its parents. Error when it cannot be created or written to.
  void make_folder(const std::filesystem::path& folder);
  // Creates an empty file under a temporary name with the extension of file, and its folder, and returns that
  // name. Error when that fails, or when file exists and is not a regular file.
  std::filesystem::path add(const std::filesystem::path& file);
  // Removes a file that add() returned.
  void drop(const std::filesystem::path& temporary);
  // The file can be used as it is: a run that fails from now on keeps it.
  void keep(const std::filesystem::path& temporary);
  // Writes the whole file and keeps it. Error with the file's name and the system's reason when that fails.
  void write(const std::filesystem::path& temporary, std::string_view bytes);

  // Renames all files. Error when a file is empty or cannot be renamed.
  void commit();
  // The names of the files that were kept.
  std::vector<std::filesystem::path> salvage() noexcept;

 private:
  struct Pending {
    std::filesystem::path temporary, file;
    bool keep = false;
  };
  std::vector<Pending> pending_;
  int count_ = 0;
  std::vector<std::filesystem::path> made_folders_;
};

// Calls work(), which calls commit(). When it throws, calls salvage() and throws the exception again, with
// the names of the files that were kept added to its sentence.
void keep_on_failure(Outputs& outputs, const std::function<void()>& work);
// Calls follow() and finish(false). When either throws, calls finish(true), which may fail, and throws the
// exception again.
void finish_always(const std::function<void()>& follow, const std::function<void(bool failed)>& finish);

// Throws Error: "cannot write <path>: <why>; name a place that can be written".
[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& why);

// A file to which text is appended.
class AppendedFile {
 public:
  // temporary: of Outputs::add(file).
  AppendedFile(const std::filesystem::path& temporary, std::filesystem::path file);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  // Error with the file's name and the system's reason when that fails; the file is then as before.
  void append(std::string_view bytes);
  // Replaces bytes that were appended.
  void overwrite(std::int64_t offset, std::string_view bytes);
  std::int64_t size() const { return size_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace triptych::apps
