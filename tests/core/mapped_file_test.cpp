#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/mapped_file.hpp>

#include <gtest/gtest.h>

#include <string>

#include "testing/expect_error.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

TEST(MappedFile, ShowsTheBytesAndOutlivesTheFile) {
  const test::TemporaryDirectory folder;
  const std::string text(10000, 'x');
  write_file_atomically(folder / "a", text);
  MappedFile file = map_file(folder / "a");
  const MappedFile copy = file;
  write_file_atomically(folder / "a", "something else");
  EXPECT_EQ(text_of(file), text);
  file = {};  // the copy keeps the mapping
  std::filesystem::remove(folder / "a");
  EXPECT_EQ(text_of(copy), text);
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "a", "");
  EXPECT_TRUE(map_file(folder / "a").bytes.empty());
}

TEST(MappedFile, OnlyRegularFilesAreMapped) {
  const test::TemporaryDirectory folder;
  EXPECT_ERROR(map_file(folder / "none"), Error, "none");
  EXPECT_ERROR(map_file(folder.path()), Error, "directory");
  EXPECT_ERROR(map_file("/dev/null"), Error, "not a regular file");
}

}  // namespace
}  // namespace triptych
