// CsvFile: a table that grows during a run. What was added is in the file at most a second later, so that a
// killed run loses no more.
#pragma once

#include <triptych/core/clock.hpp>

#include <common/outputs.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace triptych::apps {

class CsvFile {
 public:
  // header: the first line, with its line break.
  CsvFile(Outputs& outputs, const std::filesystem::path& file, std::string_view header);

  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  // Whole lines. Error when the file cannot be written; it then ends with a whole line.
  void add(std::string_view lines);
  // Writes what is left. Call it before Outputs::commit().
  void flush();

 private:
  Outputs& outputs_;
  std::filesystem::path temporary_;
  AppendedFile file_;
  std::string waiting_;
  Stopwatch since_flush_;
  bool empty_ = true;  // no row is in the file
};

}  // namespace triptych::apps
