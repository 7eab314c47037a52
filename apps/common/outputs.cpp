#include <triptych/core/error.hpp>

#include <common/outputs.hpp>
#include <common/program.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <new>
#include <string>
#include <system_error>

namespace triptych::apps {

namespace fs = std::filesystem;

void fail_to_write(const fs::path& path, const std::string& why) {
  throw Error("cannot write " + path.string() + ": " + why + "; name a place that can be written");
}

namespace {

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

std::vector<fs::path> Outputs::salvage() noexcept {
  std::error_code problem;
  std::vector<fs::path> kept;
  for (const Pending& p : pending_) {
    if (p.keep && fs::file_size(p.temporary, problem) > 0 && !problem) {
      fs::rename(p.temporary, p.file, problem);
      if (!problem) kept.push_back(p.file);
    }
    fs::remove(p.temporary, problem);
  }
  pending_.clear();
  while (!made_folders_.empty()) {
    fs::remove(made_folders_.back(), problem);  // only when it is empty
    made_folders_.pop_back();
  }
  return kept;
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
    fail_to_write(folder, reason());
  }
}

fs::path Outputs::add(const fs::path& file) {
  std::error_code problem;
  const fs::file_status status = fs::status(file, problem);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail_to_write(file, fs::is_directory(status) ? "it is a folder" : "it is not a plain file");
  }
  make_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
  const std::string name = file.stem().string() + ".part-" + std::to_string(getpid()) + "-" +
                           std::to_string(count_++) + file.extension().string();
  fs::path temporary = file.parent_path() / name;
  pending_.push_back({temporary, file});
  if (!std::ofstream(temporary)) fail_to_write(file, reason());
  return temporary;
}

void Outputs::drop(const fs::path& temporary) {
  std::error_code ignored;
  fs::remove(temporary, ignored);
  std::erase_if(pending_, [&](const Pending& p) { return p.temporary == temporary; });
}

void Outputs::keep(const fs::path& temporary) {
  for (Pending& p : pending_) p.keep |= p.temporary == temporary;
}

void Outputs::write(const fs::path& temporary, std::string_view bytes) {
  for (Pending& p : pending_) {
    if (p.temporary != temporary) continue;
    AppendedFile(temporary, p.file).append(bytes);
    p.keep = true;
  }
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

void keep_on_failure(Outputs& outputs, const std::function<void()>& work) {
  // "; kept a.csv, b.mp4"
  const auto kept = [&] {
    std::string all;
    for (const fs::path& file : outputs.salvage()) {
      constexpr std::size_t long_enough = 200;
      if (all.size() > long_enough) return all + " and others";
      all += (all.empty() ? "; kept " : ", ") + file.string();
    }
    return all;
  };
  try {
    work();
  } catch (const UsageError&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error("there is not enough memory for this" + kept());
  } catch (const std::exception& error) {
    throw Error(error.what() + kept());
  }
}

void finish_always(const std::function<void()>& follow, const std::function<void(bool failed)>& finish) {
  try {
    follow();
    finish(false);
  } catch (...) {
    try {
      finish(true);
    } catch (const std::exception&) {  // the first error is the one to report
    }
    throw;
  }
}

AppendedFile::AppendedFile(const fs::path& temporary, fs::path file)
    : file_(std::move(file)),
      descriptor_(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_to_write(file_, reason());
}

AppendedFile::~AppendedFile() { close(descriptor_); }

void AppendedFile::append(std::string_view bytes) {
  try {
    overwrite(size_, bytes);
  } catch (const Error&) {
    if (ftruncate(descriptor_, size_) != 0) fail_to_write(file_, reason() + ", and its end is damaged");
    throw;
  }
  size_ += static_cast<std::int64_t>(bytes.size());
}

void AppendedFile::overwrite(std::int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(file_, reason());
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
}

}  // namespace triptych::apps
