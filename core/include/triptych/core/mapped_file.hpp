// A file mapped into memory, for reading.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace triptych {

// The bytes of a file, which the owner keeps in reach; they begin at the start of a page. Pages are read when
// they are first looked at. The file may be replaced or removed meanwhile (write_file_atomically does that),
// but must not be shortened in place: looking at what is gone would end the program.
struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Error, with the path and the system's words, when it cannot be read or is no plain file.
MappedFile map_file(const std::filesystem::path& path);

}  // namespace triptych
