#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>
#include <triptych/core/json.hpp>
#include <triptych/core/version.hpp>

#include <common/batch.hpp>
#include <common/cli.hpp>
#include <common/outputs.hpp>
#include <common/program.hpp>
#include <common/summary.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

namespace triptych::apps {

namespace fs = std::filesystem;

namespace {

// A line of the list, with the number it has in the file.
struct Line {
  int number = 0;
  std::string text;
  Words words;
};

std::vector<Line> read_list(const fs::path& file) {
  std::istringstream text(read_text(file));
  std::vector<Line> lines;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line[begin] == '#') continue;
    lines.push_back({number, line.substr(begin), {}});
  }
  if (lines.empty()) throw Error(file.string() + " lists no input: write one on each line");
  return lines;
}

std::string joined(const Words& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

// "007" of 250.
std::string folder_name(std::size_t input, std::size_t inputs) {
  const std::string number = std::to_string(input + 1), last = std::to_string(inputs);
  return std::string(last.size() - number.size(), '0') + number;
}

struct BatchOptions {
  fs::path list, out;
  Shard shard;
  Words for_all;  // options of every line
};

Words with_outputs(const BatchProgram& program, Words line, const fs::path& folder) {
  const Words outputs = program.outputs(line, folder);
  line.insert(line.end(), outputs.begin(), outputs.end());
  return line;
}

// The command line of each input, checked before the first of them runs.
void complete_lines(const BatchProgram& program, const BatchOptions& options, std::vector<Line>& lines) {
  for (Line& line : lines) {
    try {
      line.words = program.complete(split_words(line.text));
      line.words.insert(line.words.end(), options.for_all.begin(), options.for_all.end());
      const Words outputs = program.outputs(line.words, "folder");
      for (const std::string& word : line.words) {
        if (word.starts_with("--") && std::find(outputs.begin(), outputs.end(), word) != outputs.end())
          throw UsageError(word + " is set by batch: leave it out");
      }
      program.check(with_outputs(program, line.words, "folder"));
    } catch (const UsageError& error) {
      throw UsageError(options.list.string() + ", line " + std::to_string(line.number) + ": " + error.what());
    }
  }
}

void run_batch(const BatchProgram& program, const BatchOptions& options) {
  std::vector<Line> lines = read_list(options.list);
  complete_lines(program, options, lines);
  std::string all_lines;
  for (const Line& line : lines) all_lines += line.text + "\n";
  ShardFile file(options.out, options.shard,
                 {{"program", program.name},
                  {"version", version()},
                  {"inputs", lines.size()},
                  {"list", text_hash(all_lines)},
                  {"options", options.for_all}});
  end_on_interrupt();
  std::size_t mine = 0, done = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!options.shard.has(i)) continue;
    ++mine;
    if (file.finished(i)) {
      ++done;
      continue;
    }
    const std::string kept = "kept the results of " + std::to_string(done) + " inputs in " +
                             file.path().string() + "; the same command goes on from there";
    if (interrupted()) throw Interrupted(kept);
    std::printf("%s: input %zu of %zu: %s\n", program.name, i + 1, lines.size(), lines[i].text.c_str());
    std::fflush(stdout);
    const fs::path folder = options.out / folder_name(i, lines.size());
    try {
      program.run(with_outputs(program, lines[i].words, folder));
      file.add_result(i, lines[i].text, read_json(folder / "summary.json"));
      ++done;
    } catch (const Interrupted&) {
      throw Interrupted(kept);
    } catch (const std::exception& error) {
      if (interrupted()) throw Interrupted(kept);
      say(program.name, lines[i].text + ": " + error.what());
      file.add_failure(i, lines[i].text, error.what());
    }
  }
  if (file.failures() > 0)
    throw Error(std::to_string(file.failures()) + " of " + std::to_string(mine) + " inputs failed, as " +
                file.path().string() + " says; the same command tries them again");
  std::printf(
      "%s: shard %s: the results of %zu inputs are in %s; when all shards are done, run %s merge %s.\n",
      program.name, to_string(options.shard).c_str(), mine, file.path().c_str(), program.name,
      options.out.c_str());
}

std::string csv_field(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>()
                                       : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

// A row for each input, with the plain values of its result.
std::string csv_of(const MergedShards& merged) {
  std::vector<std::string> columns;
  for (const Json& entry : merged.entries) {
    if (!entry.contains("result")) continue;
    for (const auto& [key, value] : entry["result"].items()) {
      if (value.is_primitive() && std::find(columns.begin(), columns.end(), key) == columns.end())
        columns.push_back(key);
    }
  }
  std::string all = "line,error";
  for (const std::string& column : columns) all += "," + csv_field(column);
  all += '\n';
  for (const Json& entry : merged.entries) {
    all += csv_field(entry["name"]) + "," + (entry.contains("error") ? csv_field(entry["error"]) : "");
    const Json result = entry.value("result", Json::object());
    for (const std::string& column : columns) {
      const auto value = result.find(column);
      all += ',';
      if (value != result.end() && value->is_primitive() && !value->is_null()) all += csv_field(*value);
    }
    all += '\n';
  }
  return all;
}

void merge(const BatchProgram& program, const fs::path& folder) {
  const MergedShards merged = merge_shards(folder);
  if (at<std::string>(merged.job, "program", folder.string()) != program.name)
    throw Error(folder.string() + " has results of " +
                at<std::string>(merged.job, "program", folder.string()) + ": merge them with that program");
  const std::size_t missing = merged.inputs - merged.entries.size();
  Outputs outputs;
  outputs.write(outputs.add(folder / "results.json"), summary_text({{"job", merged.job},
                                                                    {"complete", missing == 0},
                                                                    {"failed", merged.failed},
                                                                    {"missing", missing},
                                                                    {"results", merged.entries}}));
  outputs.write(outputs.add(folder / "results.csv"), csv_of(merged));
  outputs.commit();
  std::printf("%s: the results of %zu of %zu inputs are in %s and results.csv beside it.\n", program.name,
              merged.entries.size() - merged.failed, merged.inputs, (folder / "results.json").c_str());
  if (program.merged) program.merged(merged, folder);
  std::string problems;
  if (missing > 0) {
    constexpr std::size_t some = 8;
    Words named(merged.to_run.begin(),
                merged.to_run.begin() + static_cast<std::ptrdiff_t>(std::min(some, merged.to_run.size())));
    if (merged.to_run.size() > some) named.emplace_back("and others");
    problems = std::to_string(missing) + " inputs have no result: run the shards " + joined(named);
  }
  if (merged.failed > 0)
    problems += (problems.empty() ? "" : "; ") + std::to_string(merged.failed) +
                " inputs failed: run their shards again, or read the errors in results.csv";
  if (!problems.empty()) throw Error(problems);
}

std::string batch_help(const BatchProgram& program) {
  const std::string name = program.name;
  return "Runs " + name +
         " on every line of a list. A line holds the options of one run, or its input alone:\n\n" +
         program.example +
         "\nEmpty lines and lines that begin with # are skipped; a name with blanks stands in double quotes. "
         "The results of\n"
         "line 7 are in DIR/7. Options after -- are for every line. A shard takes every N-th line and writes "
         "its results to\n"
         "DIR/shard-I-of-N.jsonl. The same command again skips what is done, and tries again what has "
         "failed.\n\n"
         "  " +
         name +
         " batch list.txt --out results\n"
         "  seq 8 | xargs -P 8 -I{} " +
         name +
         " batch list.txt --out results --shard {}/8\n"
         "  " +
         name +
         " batch list.txt --out results --shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT   (arrays from "
         "1)\n"
         "  " +
         name + " merge results";
}

}  // namespace

Words split_words(const std::string& line) {
  Words words;
  std::string word;
  bool quoted = false, begun = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (quoted) throw UsageError("a double quote has no end");
  if (begun) words.push_back(word);
  return words;
}

bool batch_command(const BatchProgram& program, int argc, const char* const* argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command != "batch" && command != "merge") return false;
  const std::string name = std::string(program.name) + " " + std::string(command);
  Words words(argv + 2, argv + argc);
  BatchOptions options;
  if (const auto separator = std::find(words.begin(), words.end(), "--"); separator != words.end()) {
    options.for_all.assign(separator + 1, words.end());
    words.erase(separator, words.end());
  }
  std::string shard = "1/1";
  CLI::App app(command == "batch"
                   ? batch_help(program)
                   : "Puts the results of all shards together: DIR/results.json, and a table in "
                     "DIR/results.csv. Says which shards are to be run.",
               name);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("TEXT", "");
  if (command == "batch") {
    app.add_option("list", options.list, "A text file, one input a line")->type_name("LIST")->required();
    app.add_option("--out", options.out, "Folder for the results of all shards")
        ->type_name("DIR")
        ->required();
    app.add_option("--shard", shard, "Which part of the list [default: 1/1, all of it]")->type_name("I/N");
  } else {
    app.add_option("folder", options.out, "That was --out of batch")->type_name("DIR")->required();
  }
  const bool parsed = with_arguments(name.c_str(), words, [&](int count, const char* const* all) {
    return parse_command_line(app, count, all);
  });
  if (!parsed) return true;
  if (command == "merge") {
    if (!options.for_all.empty()) throw UsageError("merge takes nothing after --");
    merge(program, options.out);
  } else {
    options.shard = parse_shard(shard);
    run_batch(program, options);
  }
  return true;
}

}  // namespace triptych::apps
