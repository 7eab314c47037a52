// A file mapped into memory, read-only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace triptych {

// The bytes of a file, valid while owner lives; they begin at a page boundary. Pages are read from disk at
// the first access. The file may be replaced or removed (write_file_atomically does that), but must not be
// truncated in place: an access past its new end ends the program.
struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Error, with the path and the message of the operating system, when the file cannot be read or is not a
// regular file.
MappedFile map_file(const std::filesystem::path& path);

}  // namespace triptych
