#include <triptych/core/error.hpp>

#include <common/csv_file.hpp>
#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/video_sink.hpp>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "testing/expect_error.hpp"

namespace triptych::apps {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() : folder_(fs::temp_directory_path() / ("outputs_test-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OutputFiles() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream all;
    all << stream.rdbuf();
    return all.str();
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  // The frames that can be read of a copy.
  int frames_in(const fs::path& file) const {
    const fs::path copy = folder_ / ("copy" + file.extension().string());
    fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
    const QuietStderr quiet;
    cv::VideoCapture video(copy.string());
    cv::Mat frame;
    int count = 0;
    while (video.read(frame)) ++count;
    fs::remove(copy);
    return count;
  }
  static cv::Mat picture(int number) { return {48, 64, CV_8UC3, cv::Scalar(5.0 * number, 100, 50)}; }

  fs::path folder_;
};

TEST_F(OutputFiles, AppearWhenTheRunSucceeds) {
  Outputs outputs;
  const fs::path temporary = outputs.add(folder_ / "deep/a.json");
  EXPECT_NE(temporary.filename().string().find("a.part-"), std::string::npos);
  outputs.write(temporary, "{}\n");
  EXPECT_FALSE(fs::exists(folder_ / "deep/a.json"));
  outputs.commit();
  EXPECT_EQ(contents(folder_ / "deep/a.json"), "{}\n");
  EXPECT_FALSE(fs::exists(temporary));
}

TEST_F(OutputFiles, OfAFailedRunThoseThatAreWholeAreKeptAndNamed) {
  Outputs outputs;
  EXPECT_ERROR(keep_on_failure(outputs,
                               [&] {
                                 outputs.write(outputs.add(folder_ / "whole.txt"), "all of it");
                                 std::ofstream(outputs.add(folder_ / "half.txt")) << "ha";
                                 throw Error("it failed");
                               }),
               Error, "it failed; kept " + (folder_ / "whole.txt").string());
  EXPECT_EQ(contents(folder_ / "whole.txt"), "all of it");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFiles, OfARunThatFailsAtOnceNothingIsLeft) {
  Outputs outputs;
  EXPECT_ERROR(keep_on_failure(outputs,
                               [&] {
                                 outputs.add(folder_ / "new/a.txt");
                                 throw Error("it failed");
                               }),
               Error, "it failed");
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(OutputFiles, AFailureIsReportedNotThatOfTheFinish) {
  int finished = 0;
  EXPECT_ERROR(finish_always([] { throw Error("first"); },
                             [&](bool failed) {
                               EXPECT_TRUE(failed);
                               ++finished;
                               throw Error("second");
                             }),
               Error, "first");
  EXPECT_EQ(finished, 1);
}

TEST_F(OutputFiles, ATableIsInItsFileASecondLater) {
  Outputs outputs;
  CsvFile table(outputs, folder_ / "t.csv", "a,b\n");
  table.add("1,2\n");
  const fs::path temporary = fs::directory_iterator(folder_)->path();
  EXPECT_EQ(contents(temporary), "a,b\n1,2\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  table.add("3,4\n");
  EXPECT_EQ(contents(temporary), "a,b\n1,2\n3,4\n");
  table.add("5,6\n");
  table.flush();
  outputs.commit();
  EXPECT_EQ(contents(folder_ / "t.csv"), "a,b\n1,2\n3,4\n5,6\n");
}

TEST_F(OutputFiles, AVideoCanBeReadWhileItIsWritten) {
  Outputs outputs;
  VideoSink video(outputs, folder_ / "v", {64, 48}, 25);
  if (video.file().extension() != ".mp4") GTEST_SKIP() << "this OpenCV does not write MPEG-4";
  const fs::path temporary = fs::directory_iterator(folder_)->path();
  for (int i = 0; i < 10; ++i) video.write(picture(i));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  video.write(picture(10));  // ends the first segment
  EXPECT_EQ(frames_in(temporary), 11);
  for (int i = 11; i < 20; ++i) video.write(picture(i));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  video.write(picture(20));
  EXPECT_EQ(frames_in(temporary), 21);
  // Without its last bytes: all but the last frame.
  const std::string all = contents(temporary);
  std::ofstream(folder_ / "cut.mp4", std::ios::binary) << all.substr(0, all.size() - 4);
  EXPECT_GE(frames_in(folder_ / "cut.mp4"), 20);
  video.write(picture(21));
  video.close();
  outputs.commit();
  EXPECT_EQ(frames_in(folder_ / "v.mp4"), 22);
  // At the end it is a plain file: one index, one box of data.
  const std::string plain = contents(folder_ / "v.mp4");
  std::string types;
  for (std::size_t at = 0; at + 16 <= plain.size();) {
    const auto number = [&](std::size_t from, int bytes) {
      std::uint64_t value = 0;
      for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(plain[from++]);
      return value;
    };
    types += plain.substr(at + 4, 4) + " ";
    const std::uint64_t size = number(at, 4);
    at += size == 1 ? number(at + 8, 8) : size;
  }
  EXPECT_EQ(types, "ftyp free mdat moov ");
  cv::VideoCapture reader((folder_ / "v.mp4").string());
  EXPECT_EQ(reader.get(cv::CAP_PROP_FRAME_COUNT), 22);
  EXPECT_DOUBLE_EQ(reader.get(cv::CAP_PROP_FPS), 25);
}

TEST(Mp4, WhatIsNoVideoIsRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("moov"), std::string("\0\0\0\x08moov", 8),
        std::string("\0\0\0\x7fmoov", 8), std::string("\0\0\0\x01moov\0\0", 10), std::string(64, '\xff')})
    EXPECT_ERROR(parse_mp4(bytes), Error, "damaged");
}

}  // namespace
}  // namespace triptych::apps
