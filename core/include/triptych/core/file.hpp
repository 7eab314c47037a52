// Reading and writing whole files. Error messages contain the path and the message of the operating system.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace triptych {

// The bytes of a file; Error when it cannot be read.
std::string read_text(const std::filesystem::path& path);

// Writes a temporary file in the same folder, syncs it to disk, then renames it: readers see either the old
// or the new file. Error when that fails; the old file is then intact and the temporary file is removed.
// Replaces a symbolic link, not its target.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace triptych
