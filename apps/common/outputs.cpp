#include <triptych/core/error.hpp>

#include <common/outputs.hpp>
#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

namespace triptych::apps {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& why) {
  throw Error("cannot write " + path.string() + ": " + why + "; name a place that can be written");
}

}  // namespace

Outputs::~Outputs() {
  std::error_code ignored;
  for (const Pending& p : pending_) fs::remove(p.temporary, ignored);
  while (!made_folders_.empty()) {
    fs::remove(made_folders_.back(), ignored);  // only when it is empty
    made_folders_.pop_back();
  }
}

void Outputs::make_folder(const fs::path& folder) {
  const fs::path full = fs::absolute(folder).lexically_normal();
  std::error_code problem;
  fs::path sofar;
  for (const fs::path& part : full) {
    sofar /= part;
    if (fs::create_directory(sofar, problem)) made_folders_.push_back(sofar);
    if (problem && fs::exists(sofar)) fail_to_write(folder, sofar.string() + " is a file, not a folder");
    if (problem) fail_to_write(folder, problem.message());
  }
  if (access(full.c_str(), W_OK | X_OK) != 0) {
    fail_to_write(folder, std::generic_category().message(errno));
  }
}

fs::path Outputs::add(const fs::path& file) {
  std::error_code problem;
  const fs::file_status status = fs::status(file, problem);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail_to_write(file, fs::is_directory(status) ? "it is a folder" : "it is not a plain file");
  }
  make_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
  std::string name(1, '.');
  name += file.stem().string() + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(pending_.size()) +
          file.extension().string();
  fs::path temporary = file.parent_path() / name;
  pending_.push_back({temporary, file});
  if (!std::ofstream(temporary)) fail_to_write(file, std::generic_category().message(errno));
  return temporary;
}

void Outputs::drop(const fs::path& temporary) {
  std::error_code ignored;
  fs::remove(temporary, ignored);
  std::erase_if(pending_, [&](const Pending& p) { return p.temporary == temporary; });
}

void Outputs::commit() {
  for (const Pending& p : pending_) {
    std::error_code problem;
    if (fs::file_size(p.temporary, problem) == 0 && !problem) fail_to_write(p.file, "it would be empty");
    if (problem) fail_to_write(p.file, problem.message());
  }
  while (!pending_.empty()) {
    std::error_code problem;
    fs::rename(pending_.back().temporary, pending_.back().file, problem);
    if (problem) fail_to_write(pending_.back().file, problem.message());
    pending_.pop_back();
  }
  made_folders_.clear();
}

void write_text(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) fail_to_write(file, "the disk may be full");
}

}  // namespace triptych::apps
