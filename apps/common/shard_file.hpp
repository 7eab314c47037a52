// A job of many inputs, divided into shards that run as processes of their own, on one machine or on many.
// Each shard appends its results to one file, so that a shard that was stopped goes on where it was.
#pragma once

#include <triptych/core/json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace triptych::apps {

// Shard number of count has the inputs number - 1, number - 1 + count, ...
struct Shard {
  int number = 1, count = 1;
  bool has(std::size_t input) const {
    return input % static_cast<std::size_t>(count) == static_cast<std::size_t>(number - 1);
  }
};

// Parses "2/8". UsageError when it is no shard.
Shard parse_shard(const std::string& text);
std::string to_string(const Shard& shard);

// FNV-1a, as hexadecimal digits: lists that differ are different jobs.
std::string text_hash(std::string_view text);

// The file <folder>/shard-2-of-8.jsonl: a line of JSON that names the job, then a line for each input that
// was tried. A last line that a killed run has cut off is dropped.
class ShardFile {
 public:
  // Creates the file and its folder, or reads what an earlier run has finished. job: what all shards have in
  // common. Error when the file is of another job, another process has it open, or it cannot be written.
  ShardFile(const std::filesystem::path& folder, const Shard& shard, const Json& job);
  ~ShardFile();
  ShardFile(const ShardFile&) = delete;
  ShardFile& operator=(const ShardFile&) = delete;

  // Has a result. An input that failed has none: it is tried again.
  bool finished(std::size_t input) const;
  // Appends a line and syncs it to disk. Error when that fails; the file is then as before.
  void add_result(std::size_t input, const std::string& name, const Json& result);
  void add_failure(std::size_t input, const std::string& name, const std::string& error);
  std::size_t failures() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  void append(const Json& line);
  void read(const Json& head);
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::map<std::size_t, bool> tried_;  // true: has a result
};

// All shards of a job.
struct MergedShards {
  Json job;
  std::vector<Json> entries;           // {"input": index, "name", "result" or "error"}, by input
  std::size_t inputs = 0, failed = 0;  // of the job; of the entries
  std::vector<std::string> to_run;     // shards that have not tried all their inputs: "2/8"
};
// Error when the folder has no shards, or shards of different jobs.
MergedShards merge_shards(const std::filesystem::path& folder);

}  // namespace triptych::apps
