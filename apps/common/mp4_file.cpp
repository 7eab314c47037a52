#include <triptych/core/error.hpp>

#include <common/mp4_file.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <optional>

namespace triptych::apps {

namespace {

constexpr std::uint32_t ticks_per_frame = 1000;

// Big-endian numbers.
std::string bytes(std::uint64_t value, int count) {
  std::string all;
  for (int i = count - 1; i >= 0; --i) all += static_cast<char>(value >> (8 * i) & 0xff);
  return all;
}
std::string u16(std::uint64_t value) { return bytes(value, 2); }
std::string u32(std::uint64_t value) { return bytes(value, 4); }
std::string u64(std::uint64_t value) { return bytes(value, 8); }

std::string box(std::string_view type, std::initializer_list<std::string_view> parts) {
  std::string all(type);
  for (const std::string_view part : parts) all += part;
  return u32(all.size() + 4) + all;
}

// version and flags of a "full box"
const std::string plain = u32(0);

std::string matrix() {
  return u32(0x10000) + std::string(12, '\0') + u32(0x10000) + std::string(12, '\0') + u32(0x40000000);
}

[[noreturn]] void damaged() { throw Error("an encoded part of the video is damaged"); }

std::uint32_t read_u32(std::string_view data, std::size_t at) {
  if (data.size() < 4 || at > data.size() - 4) damaged();
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
  return value;
}

struct FoundBox {
  std::string_view whole, content;
};

std::optional<FoundBox> find(std::string_view data, std::string_view type) {
  for (std::size_t at = 0; at + 8 <= data.size();) {
    std::uint64_t size = read_u32(data, at), header = 8;
    if (size == 1) {
      size = std::uint64_t{read_u32(data, at + 8)} << 32 | read_u32(data, at + 12);
      header = 16;
    }
    if (size < header || size > data.size() - at) damaged();
    const std::string_view whole = data.substr(at, size);
    if (whole.substr(4, 4) == type) return FoundBox{whole, whole.substr(header)};
    at += size;
  }
  return std::nullopt;
}

FoundBox need(std::string_view data, std::initializer_list<std::string_view> path) {
  FoundBox found{data, data};
  for (const std::string_view type : path) {
    const auto inner = find(found.content, type);
    if (!inner) damaged();
    found = *inner;
  }
  return found;
}

// The numbers of a table with a count before them.
std::vector<std::uint32_t> table(std::string_view content, std::size_t count_at) {
  const std::size_t count = read_u32(content, count_at), first = count_at + 4;
  if (count > (content.size() - first) / 4) damaged();
  std::vector<std::uint32_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = read_u32(content, first + 4 * i);
  return all;
}

std::string table(const std::vector<std::uint32_t>& values) {
  std::string all = u32(values.size());
  for (const std::uint32_t value : values) all += u32(value);
  return all;
}

}  // namespace

Mp4Segment parse_mp4(std::string_view file) {
  const std::string_view samples = need(file, {"moov", "trak", "mdia", "minf", "stbl"}).content;
  Mp4Segment segment;
  segment.description = need(samples, {"stsd"}).whole;
  const std::string_view sizes = need(samples, {"stsz"}).content;
  if (const std::uint32_t same = read_u32(sizes, 4); same != 0) {
    if (read_u32(sizes, 8) > file.size()) damaged();
    segment.sizes.assign(read_u32(sizes, 8), same);
  } else {
    segment.sizes = table(sizes, 8);
  }
  if (const auto keys = find(samples, "stss")) {
    segment.keys = table(keys->content, 4);
  } else {
    segment.keys.resize(segment.sizes.size());  // all are
    std::iota(segment.keys.begin(), segment.keys.end(), 1U);
  }
  const auto offsets = table(need(samples, {"stco"}).content, 4);
  const std::uint64_t all = std::accumulate(segment.sizes.begin(), segment.sizes.end(), std::uint64_t{0});
  if (segment.sizes.empty() || offsets.empty() || offsets[0] > file.size() || all > file.size() - offsets[0])
    damaged();
  segment.data = file.substr(offsets[0], all);
  return segment;
}

Mp4File::Mp4File(const std::filesystem::path& temporary, const std::filesystem::path& file, int width,
                 int height, double frames_per_second)
    : file_(temporary, file),
      width_(width),
      height_(height),
      ticks_per_second_(static_cast<std::uint32_t>(std::lround(ticks_per_frame * frames_per_second))) {}

std::string Mp4File::index(bool of_all) const {
  const std::uint64_t ticks = of_all ? std::uint64_t{ticks_per_frame} * sizes_.size() : 0;
  std::string chunks = u32(chunks_.size()), offsets = chunks;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    chunks += u32(i + 1) + u32(chunks_[i].frames) + u32(1);
    offsets += u64(chunks_[i].offset);
  }
  const std::string none = plain + u32(0);
  const std::string samples =
      of_all ? box("stts", {plain, u32(1), u32(sizes_.size()), u32(ticks_per_frame)}) +
                   box("stss", {plain, table(keys_)}) + box("stsc", {plain, chunks}) +
                   box("stsz", {plain, u32(0), table(sizes_)}) + box("co64", {plain, offsets})
             : box("stts", {none}) + box("stsc", {none}) + box("stsz", {none, u32(0)}) + box("stco", {none});
  const std::string url = box("url ", {u32(1)});  // the data are in this file
  const std::string media =
      box("minf", {box("vmhd", {u32(1), u64(0)}), box("dinf", {box("dref", {plain, u32(1), url})}),
                   box("stbl", {description_, samples})});
  const std::string handler =
      box("hdlr", {plain, u32(0), "vide", std::string(12, '\0'), "video", bytes(0, 1)});
  const std::string track =
      box("trak", {box("tkhd", {u32(0x1000003), u64(0), u64(0), u32(1), u32(0), u64(ticks), u64(0), u64(0),
                                matrix(), u32(static_cast<std::uint64_t>(width_) << 16),
                                u32(static_cast<std::uint64_t>(height_) << 16)}),
                   box("mdia", {box("mdhd", {u32(0x1000000), u64(0), u64(0), u32(ticks_per_second_),
                                             u64(ticks), u16(0x55c4), u16(0)}),
                                handler, media})});
  const std::string movie =
      box("mvhd", {u32(0x1000000), u64(0), u64(0), u32(ticks_per_second_), u64(ticks), u32(0x10000),
                   u16(0x100), std::string(10, '\0'), matrix(), std::string(24, '\0'), u32(2)});
  const std::string more =
      box("mvex", {box("trex", {plain, u32(1), u32(1), u32(ticks_per_frame), u32(0), u32(0)})});
  return box("moov", {movie, track, of_all ? std::string() : more});
}

std::string Mp4File::fragment(const Mp4Segment& segment) const {
  constexpr std::uint32_t key_flags = 0x2000000, other_flags = 0x1010000;
  std::string frames;
  std::size_t next_key = 0;
  for (std::size_t i = 0; i < segment.sizes.size(); ++i) {
    const bool key = next_key < segment.keys.size() && segment.keys[next_key] == i + 1;
    next_key += key ? 1 : 0;
    frames += u32(segment.sizes[i]) + u32(key ? key_flags : other_flags);
  }
  const auto with_offset = [&](std::size_t offset) {
    return box("moof",
               {box("mfhd", {plain, u32(chunks_.size() + 1)}),
                box("traf", {box("tfhd", {u32(0x20000), u32(1)}),
                             box("tfdt", {u32(0x1000000), u64(ticks_per_frame * sizes_.size())}),
                             // an offset of the data, and of each frame its size and its flags
                             box("trun", {u32(0x601), u32(segment.sizes.size()), u32(offset), frames})})});
  };
  constexpr std::size_t mdat_header = 8;
  return with_offset(with_offset(0).size() + mdat_header);
}

void Mp4File::append(const Mp4Segment& segment) {
  std::string all;
  if (empty()) {
    description_ = segment.description;
    all = box("ftyp", {"isom", u32(0x200), "isomiso2mp41"});
    first_index_at_ = static_cast<std::int64_t>(all.size());
    all += index(false);
    fragments_at_ = static_cast<std::int64_t>(all.size());
  }
  all += fragment(segment);
  all += u32(segment.data.size() + 8) + "mdat";
  const std::uint64_t data_at = static_cast<std::uint64_t>(file_.size()) + all.size();
  all += segment.data;
  file_.append(all);
  chunks_.push_back({data_at, static_cast<std::uint32_t>(segment.sizes.size())});
  for (const std::uint32_t key : segment.keys)
    keys_.push_back(key + static_cast<std::uint32_t>(sizes_.size()));
  sizes_.insert(sizes_.end(), segment.sizes.begin(), segment.sizes.end());
}

void Mp4File::finish() {
  const auto bytes_of_fragments = static_cast<std::uint64_t>(file_.size() - fragments_at_);
  file_.append(index(true));
  file_.overwrite(first_index_at_ + 4, "free");
  file_.overwrite(fragments_at_, u32(1) + "mdat" + u64(bytes_of_fragments));
}

}  // namespace triptych::apps
