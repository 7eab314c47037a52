#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych {
namespace {

// During its lifetime this process cannot write files larger than a limit, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*old_handler_)(int);
  rlimit old_limit_ = {};
};

TEST(File, GivesBackWhatWasWritten) {
  const test::TemporaryDirectory directory;
  constexpr std::uint64_t seed = 7;
  TRIPTYCH_TRACE_SEED(seed);
  for (const int size : {0, 1, 65535, 65536, 65537, 1 << 20}) {
    const std::string text = test::random_text(size, seed);
    write_file_atomically(directory / "file", text);
    EXPECT_EQ(read_text(directory / "file"), text);
  }
  EXPECT_EQ(directory.entry_count(), 1);
}

TEST(File, WritesInTheCurrentDirectory) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path old = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  write_file_atomically("file", "here");
  std::filesystem::current_path(old);
  EXPECT_EQ(read_text(directory / "file"), "here");
}

TEST(File, AFailedWriteLeavesTheOldFile) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "file", "old");
  {
    const FileSizeLimit full_disk(1000);
    EXPECT_ERROR(write_file_atomically(directory / "file", std::string(2000, 'x')), Error, "File too large");
  }
  EXPECT_EQ(read_text(directory / "file"), "old");
  EXPECT_EQ(directory.entry_count(), 1);
}

TEST(File, AFailedRenameLeavesNothingBeside) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "taken");
  EXPECT_ERROR(write_file_atomically(directory / "taken", "text"), Error, "cannot write");
  EXPECT_TRUE(std::filesystem::is_directory(directory / "taken"));
  EXPECT_EQ(directory.entry_count(), 1);
}

TEST(File, ErrorsNameThePathAndTheCause) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "file", "old");
  const std::filesystem::path below = directory / "file" / "below";
  EXPECT_ERROR(write_file_atomically(below, "text"), Error, below.string() + ": Not a directory");
  EXPECT_ERROR(read_text(directory / "absent"), Error, "absent: No such file or directory");
  EXPECT_ERROR(read_text(directory.path()), Error, "Is a directory");
  EXPECT_EQ(read_text(directory / "file"), "old");
}

// A pipe without a writer would block for ever, and the devices have no end.
TEST(File, ReadsRegularFilesOnly) {
  const test::TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_text(directory / "pipe"), Error, "pipe: it is not a regular file");
  EXPECT_ERROR(read_text("/dev/zero"), Error, "/dev/zero: it is not a regular file");
  std::filesystem::create_symlink("/dev/full", directory / "link");
  EXPECT_ERROR(read_text(directory / "link"), Error, "link: it is not a regular file");
}

TEST(File, ReadsFilesUpToALimit) {
  const test::TemporaryDirectory directory;
  write_file_atomically(directory / "file", "12345");
  EXPECT_EQ(read_text(directory / "file", 5), "12345");
  EXPECT_ERROR(read_text(directory / "file", 4), Error, "file: it is larger than 4 bytes");
  EXPECT_ERROR(read_text(directory / "file", -1), InvalidArgument, "at most -1 bytes");
  std::filesystem::resize_file(directory / "file",
                               static_cast<std::uintmax_t>(max_text_bytes) + 1);  // sparse
  EXPECT_ERROR(read_text(directory / "file"), Error, "file: it is larger than 4294967296 bytes");
}

TEST(File, ReadsFilesOfUnknownSize) {
  EXPECT_NE(read_text("/proc/self/status").find("Name:"), std::string::npos);
}

}  // namespace
}  // namespace triptych
