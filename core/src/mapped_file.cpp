#include <triptych/core/error.hpp>
#include <triptych/core/mapped_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace triptych {

MappedFile map_file(const std::filesystem::path& path) {
  const auto fail = [&](int code) {
    throw Error("cannot read " + path.string() + ": " + std::generic_category().message(code) +
                "; check the path and that it may be read");
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(errno);
  const std::shared_ptr<const void> closer(nullptr, [fd](const void*) { ::close(fd); });
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) throw Error("cannot read " + path.string() + ": it is not a regular file");
  if (status.st_size == 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED) fail(errno);
  std::shared_ptr<const void> owner(start, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  return {{static_cast<const std::byte*>(start), size}, std::move(owner)};
}

}  // namespace triptych
