// The commands batch and merge of the demos: many inputs of one list, divided among processes.
#pragma once

#include <common/shard_file.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace triptych::apps {

using Words = std::vector<std::string>;

struct BatchProgram {
  const char* name;
  const char* example;  // two lines of a list, for --help
  // Completes a line that is an input alone, such as the name of a video.
  std::function<Words(Words line)> complete;
  // The options that put all results of a run into this folder, with the summary in summary.json. Lines may
  // not name them.
  std::function<Words(const Words& line, const std::filesystem::path& folder)> outputs;
  // Parses a command line. UsageError when it makes no sense.
  std::function<void(const Words& line)> check;
  std::function<void(const Words& line)> run;
  // Called after the results were merged; may be empty.
  std::function<void(const MergedShards& merged, const std::filesystem::path& folder)> merged;
};

// True when the command line begins with batch or merge, which is then done.
bool batch_command(const BatchProgram& program, int argc, const char* const* argv);

// The words of a line: separated by blanks, or between double quotes. UsageError for a quote without an end.
Words split_words(const std::string& line);

// Calls f(argc, argv) for the command line of a program.
template <class F>
auto with_arguments(const char* program, const Words& words, F f) {
  std::vector<const char*> argv = {program};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return f(static_cast<int>(argv.size()), argv.data());
}

}  // namespace triptych::apps
