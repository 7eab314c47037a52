// Whole files in and out. Errors carry the path and the system's words.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace triptych {

// The bytes of a file; Error when it cannot be read.
std::string read_text(const std::filesystem::path& path);

// Writes beside path, forces the bytes to disk, then renames: readers see the old file or the new one, never
// a half. Error when that fails; the old file is then intact and nothing is left beside it. Replaces a
// symbolic link, not what it points at.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace triptych
