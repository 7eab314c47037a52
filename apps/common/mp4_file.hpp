// Mp4File: joins short MP4 files of one track, as OpenCV writes them, into one that can be read while it is
// written: fragments (moof, mdat) behind a moov without samples. finish() adds the usual index of all frames
// and makes one mdat of the fragments, so that the result is a plain MP4 file.
#pragma once

#include <common/outputs.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::apps {

// The frames of a short file.
struct Mp4Segment {
  std::string description;           // the stsd box: codec and decoder configuration
  std::vector<std::uint32_t> sizes;  // of the frames, in bytes
  std::vector<std::uint32_t> keys;   // the key frames, from 1
  std::string_view data;             // the frames, one behind the other, in the file
};

// Error when the bytes are no complete MP4 file with one track whose frames follow each other.
Mp4Segment parse_mp4(std::string_view file);

class Mp4File {
 public:
  Mp4File(const std::filesystem::path& temporary, const std::filesystem::path& file, int width, int height,
          double frames_per_second);

  // Error when the disk is full; the file then ends with the segment before.
  void append(const Mp4Segment& segment);
  void finish();
  bool empty() const { return sizes_.empty(); }

 private:
  struct Chunk {
    std::uint64_t offset;
    std::uint32_t frames;
  };
  // The moov box: of no frames for the beginning of the file, or of all.
  std::string index(bool of_all) const;
  std::string fragment(const Mp4Segment& segment) const;

  AppendedFile file_;
  int width_, height_;
  std::uint32_t ticks_per_second_;
  std::string description_;
  std::vector<std::uint32_t> sizes_, keys_;
  std::vector<Chunk> chunks_;
  std::int64_t first_index_at_ = 0, fragments_at_ = 0;
};

}  // namespace triptych::apps
