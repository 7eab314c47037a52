#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

namespace triptych {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* verb, const fs::path& path, int code, const char* advice) {
  throw Error(std::string("cannot ") + verb + " " + path.string() + ": " +
              std::generic_category().message(code) + "; " + advice);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

// The error number, 0 for success.
int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

// Writes and renames a temporary file that does not exist yet, and removes it when either fails.
int write_and_rename(const fs::path& temporary, const fs::path& path, std::span<const std::byte> bytes) {
  FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) return errno;
  int code = write_all(file.get(), bytes);
  if (code == 0 && ::fsync(file.get()) != 0) code = errno;
  if (!file.close() && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) ::unlink(temporary.c_str());
  return code;
}

// Makes the rename durable. Where a directory cannot be synced, the file is still complete.
void sync_directory(const fs::path& directory) {
  const FileDescriptor file(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() >= 0) static_cast<void>(::fsync(file.get()));
}

fs::path temporary_path(const fs::path& path) {
  std::random_device random;
  fs::path temporary = path;
  temporary += ".tmp-" + std::to_string(random()) + "-" + std::to_string(random());
  return temporary;
}

}  // namespace

std::string read_text(const fs::path& path, std::int64_t max_bytes) {
  constexpr const char* advice = "check the path and that it may be read";
  require(max_bytes >= 0, "cannot read a file of at most ", max_bytes, " bytes");
  const auto refuse = [&](const std::string& why) {
    throw Error("cannot read " + path.string() + ": " + why);
  };
  const auto refuse_size = [&] { refuse("it is larger than " + std::to_string(max_bytes) + " bytes"); };
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe may block
  if (file.get() < 0) fail("read", path, errno, advice);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("read", path, errno, advice);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR, advice);
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  if (status.st_size > max_bytes) refuse_size();
  std::string text;
  text.reserve(static_cast<std::size_t>(status.st_size));
  char block[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), block, sizeof(block));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno, advice);
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
    if (std::cmp_greater(text.size(), max_bytes)) refuse_size();  // it grows, or its size was unknown
  }
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  if (const int code = write_and_rename(temporary_path(path), path, bytes)) {
    fail("write", path, code, "check that its directory exists, may be written and has space left");
  }
  sync_directory(path.parent_path());
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace triptych
