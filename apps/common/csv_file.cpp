#include <triptych/core/error.hpp>

#include <common/csv_file.hpp>

#include <exception>

namespace triptych::apps {

CsvFile::CsvFile(Outputs& outputs, const std::filesystem::path& file, std::string_view header)
    : outputs_(outputs), temporary_(outputs.add(file)), file_(temporary_, file), waiting_(header) {}

CsvFile::~CsvFile() {
  try {
    if (!empty_) flush();
  } catch (const std::exception&) {  // the file ends with an earlier line
  }
}

void CsvFile::add(std::string_view lines) {
  constexpr double seconds_between_flushes = 0.5;
  if (lines.empty()) return;
  waiting_ += lines;
  if (!empty_ && since_flush_.elapsed_s() < seconds_between_flushes) return;
  flush();
  empty_ = false;
  outputs_.keep(temporary_);
}

void CsvFile::flush() {
  const std::string lines = std::move(waiting_);
  waiting_.clear();
  since_flush_.restart();
  try {
    file_.append(lines);
  } catch (const Error&) {
    // The disk may have room for some of them; the last one throws.
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end) {
      end = lines.find('\n', at) + 1;
      if (end == 0) end = lines.size();
      file_.append(std::string_view(lines).substr(at, end - at));
      if (at > 0) outputs_.keep(temporary_);
    }
  }
}

}  // namespace triptych::apps
