#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/shard_file.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <set>
#include <sstream>
#include <system_error>

namespace triptych::apps {

namespace fs = std::filesystem;

namespace {

constexpr int max_shards = 1'000'000;
constexpr std::string_view file_prefix = "shard-", file_suffix = ".jsonl";

std::string last_error() { return std::generic_category().message(errno); }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parse_line(const std::string& file, std::string_view line, std::size_t number) {
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw Error(file + ", line " + std::to_string(number) +
                ": not a line of a shard: delete the file and run its shard again");
  return json;
}

// The lines that end with a line break: what follows was cut off.
std::vector<Json> complete_lines(const std::string& file, std::string_view text) {
  std::vector<Json> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(parse_line(file, text.substr(0, end), lines.size() + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t input_of(const Json& entry, const std::string& file) {
  return at<std::size_t>(entry, "input", file);
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.number);
  bool sane = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  if (sane) {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    sane = second.ec == std::errc() && second.ptr == end;
  }
  if (!sane || shard.number < 1 || shard.count < 1 || shard.number > shard.count || shard.count > max_shards)
    throw UsageError("--shard wants I/N with I from 1 to N, such as 2/8, not '" + text + "'");
  return shard;
}

std::string to_string(const Shard& shard) {
  return std::to_string(shard.number) + "/" + std::to_string(shard.count);
}

std::string text_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::ostringstream digits;
  digits << std::hex << hash;
  return digits.str();
}

ShardFile::ShardFile(const fs::path& folder, const Shard& shard, const Json& job)
    : path_(folder / (std::string(file_prefix) + std::to_string(shard.number) + "-of-" +
                      std::to_string(shard.count) + std::string(file_suffix))) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) fail_to_write(folder, problem.message());
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_to_write(path_, last_error());
  try {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      throw Error(path_.string() + ": another process works on this shard: wait for it, or take another one");
    read({{"job", job}, {"shard", to_string(shard)}});
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

ShardFile::~ShardFile() { close(descriptor_); }

void ShardFile::read(const Json& head) {
  const std::string text = read_text(path_);
  const std::size_t complete = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (complete < text.size() && ftruncate(descriptor_, static_cast<off_t>(complete)) != 0)
    fail_to_write(path_, last_error());
  const std::vector<Json> lines = complete_lines(path_.string(), text);
  if (lines.empty()) return append(head);
  if (line_of(lines.front()) != line_of(head))
    throw Error(
        path_.string() +
        " is of another list, other options or another version: name another --out, or delete that file");
  for (std::size_t i = 1; i < lines.size(); ++i)
    tried_[input_of(lines[i], path_.string())] = lines[i].contains("result");
}

void ShardFile::append(const Json& line) {
  const off_t before = lseek(descriptor_, 0, SEEK_END);
  const std::string bytes = line_of(line);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const std::string why = last_error();
      if (ftruncate(descriptor_, before) != 0) fail_to_write(path_, why + ", and its end is damaged");
      fail_to_write(path_, why);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(descriptor_) != 0) fail_to_write(path_, last_error());
}

bool ShardFile::finished(std::size_t input) const {
  const auto found = tried_.find(input);
  return found != tried_.end() && found->second;
}

void ShardFile::add_result(std::size_t input, const std::string& name, const Json& result) {
  append({{"input", input}, {"name", name}, {"result", result}});
  tried_[input] = true;
}

void ShardFile::add_failure(std::size_t input, const std::string& name, const std::string& error) {
  append({{"input", input}, {"name", name}, {"error", error}});
  tried_[input] = false;
}

std::size_t ShardFile::failures() const {
  return static_cast<std::size_t>(
      std::count_if(tried_.begin(), tried_.end(), [](const auto& entry) { return !entry.second; }));
}

MergedShards merge_shards(const fs::path& folder) {
  std::error_code problem;
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(file_prefix) && name.ends_with(file_suffix)) files.insert(entry.path());
  }
  if (problem) throw Error("cannot read " + folder.string() + ": " + problem.message());

  MergedShards merged;
  std::map<std::size_t, Json> by_input;
  int count = 0;
  for (const fs::path& file : files) {
    const std::vector<Json> lines = complete_lines(file.string(), read_text(file));
    if (lines.empty()) continue;  // a shard that has just begun
    const Json& job = detail::member(lines.front(), "job", file.string());
    const Shard shard = parse_shard(at<std::string>(lines.front(), "shard", file.string()));
    if (count == 0) {
      merged.job = job;
      count = shard.count;
      merged.inputs = at<std::size_t>(job, "inputs", file.string());
    }
    if (shard.count != count || line_of(job) != line_of(merged.job))
      throw Error(file.string() +
                  " is of another job than the shards before it: keep each job in a folder of its own");
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t input = input_of(lines[i], file.string());
      if (input >= merged.inputs || !shard.has(input))
        throw Error(file.string() + ", line " + std::to_string(i + 1) + ": input " + std::to_string(input) +
                    " is not of this shard: delete the file and run its shard again");
      by_input[input] = lines[i];  // the last try counts
    }
  }
  if (count == 0)
    throw Error("there is no shard in " + folder.string() + ": it has no file shard-I-of-N.jsonl");
  for (int number = 1; number <= count; ++number) {
    const Shard shard{number, count};
    bool all = true;
    for (std::size_t input = static_cast<std::size_t>(number - 1); input < merged.inputs;
         input += static_cast<std::size_t>(count))
      all = all && by_input.contains(input);
    if (!all) merged.to_run.push_back(to_string(shard));
  }
  for (auto& [input, entry] : by_input) {
    if (!entry.contains("result")) ++merged.failed;
    merged.entries.push_back(std::move(entry));
  }
  return merged;
}

}  // namespace triptych::apps
