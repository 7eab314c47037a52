// Reading and writing whole files. Error messages contain the path and the message of the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace triptych {

// The largest file that read_text accepts by default: 4 GiB.
inline constexpr std::int64_t max_text_bytes = std::int64_t{1} << 32;

// The bytes of a regular file, or of a link to one. Error when it cannot be read, is larger than max_bytes,
// or is a directory, pipe or device (which could block or never end).
std::string read_text(const std::filesystem::path& path, std::int64_t max_bytes = max_text_bytes);

// Writes a temporary file in the same folder, syncs it to disk, then renames it: readers see either the old
// or the new file. Error when that fails; the old file is then intact and the temporary file is removed.
// Replaces a symbolic link, not its target.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace triptych
