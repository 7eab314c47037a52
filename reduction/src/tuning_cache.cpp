#include <triptych/core/error.hpp>
#include <triptych/core/json.hpp>
#include <triptych/reduction/autotune.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <thread>

#include "automatic.hpp"

namespace triptych::reduction {

namespace {

namespace fs = std::filesystem;
using Choices = std::map<std::string, std::map<std::string, std::string>>;

constexpr const char* format_name = "triptych tuning";
constexpr int format_version = 1;
constexpr std::uintmax_t max_file_bytes = 4u << 20;  // thousands of shapes

struct Loaded {
  Choices choices;
  std::string note;  // why there are none; empty after success
};

Choices choices_of(const Json& json, const std::string& file) {
  if (at<std::string>(json, "format", file) != format_name)
    throw ParseError(file, 0, 0, "is not a tuning cache");
  const int version = at<int>(json, "version", file);
  if (version != format_version) {
    throw ParseError(file, 0, 0,
                     "is of version " + std::to_string(version) + ", not " + std::to_string(format_version));
  }
  Choices choices;
  const Json& devices = triptych::detail::member(json, "devices", file);
  if (!devices.is_object()) throw ParseError(file, 0, 0, "expected \"devices\" to be an object");
  for (const auto& [device, entries] : devices.items()) {
    if (!entries.is_object())
      throw ParseError(file, 0, 0, "expected the choices of a device to be an object");
    for (const auto& [key, choice] : entries.items()) {
      if (!choice.is_string()) throw ParseError(file, 0, 0, "expected a choice to be a string");
      choices[device][key] = choice.get<std::string>();
    }
  }
  return choices;
}

Loaded load(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return {{}, file.string() + ": the file does not exist yet"};
  if (!fs::is_regular_file(status)) return {{}, file.string() + ": is not a file"};
  if (fs::file_size(file, error) > max_file_bytes || error) {
    return {{}, file.string() + ": is larger than any tuning cache"};
  }
  try {
    return {choices_of(read_json(file), file.string()), ""};
  } catch (const std::exception& problem) {
    return {{}, problem.what()};
  }
}

// Prevents other processes from saving between our read and our write. When the lock cannot be acquired
// within a second, the save continues without it; the file is complete either way.
class SaveLock {
 public:
  explicit SaveLock(const fs::path& file)
      : fd_(::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    constexpr int tries = 200;
    for (int k = 0; fd_ >= 0 && k < tries && ::flock(fd_, LOCK_EX | LOCK_NB) != 0; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  ~SaveLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  SaveLock(const SaveLock&) = delete;
  SaveLock& operator=(const SaveLock&) = delete;

 private:
  int fd_;
};

void require_utf8(const std::string& text, const char* what) {
  try {
    static_cast<void>(Json(text).dump());
  } catch (const Json::exception&) {
    throw InvalidArgument(std::string("the tuning cache keeps text; the ") + what + " is not UTF-8");
  }
}

std::string row_key(std::int64_t rows, std::int64_t cols) {
  return "rows " + std::to_string(rows) + "x" + std::to_string(cols);
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

TuningCache::TuningCache(fs::path file) : file_(std::move(file)) {
  if (file_.empty()) return;
  Loaded loaded = load(file_);
  choices_ = std::move(loaded.choices);
  note_ = std::move(loaded.note);
}

std::optional<std::string> TuningCache::find(const std::string& device, const std::string& key) const {
  const auto entries = choices_.find(device);
  if (entries == choices_.end()) return std::nullopt;
  const auto entry = entries->second.find(key);
  if (entry == entries->second.end()) return std::nullopt;
  return entry->second;
}

void TuningCache::remember(const std::string& device, const std::string& key, const std::string& choice) {
  require_utf8(device, "device");
  require_utf8(key, "key");
  require_utf8(choice, "choice");
  choices_[device][key] = choice;
  remembered_[device][key] = choice;
}

void TuningCache::save() const {
  if (file_.empty()) return;
  std::error_code ignored;  // a failure shows when the file is written
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), ignored);
  const SaveLock lock(file_);
  Choices merged = choices_;
  for (const Choices& newer : {load(file_).choices, remembered_}) {
    for (const auto& [device, entries] : newer) {
      for (const auto& [key, choice] : entries) merged[device][key] = choice;
    }
  }
  write_json(file_, {{"format", format_name}, {"version", format_version}, {"devices", merged}});
}

std::size_t TuningCache::size() const {
  std::size_t count = 0;
  for (const auto& [device, entries] : choices_) count += entries.size();
  return count;
}

fs::path TuningCache::default_file() {
  if (const char* file = environment("TRIPTYCH_TUNING_CACHE")) return file;
  const fs::path below = fs::path("triptych") / "tuning.json";
  if (const char* cache = environment("XDG_CACHE_HOME"); cache != nullptr && fs::path(cache).is_absolute()) {
    return cache / below;
  }
  if (const char* home = environment("HOME")) return home / fs::path(".cache") / below;
  return {};
}

TuningCache read_default_tuning() noexcept {
  try {
    const char* setting = environment("TRIPTYCH_TUNING");
    if (setting == nullptr || std::string_view(setting) != "off")
      return TuningCache(TuningCache::default_file());
  } catch (...) {  // out of memory: no choices
  }
  return {};
}

const TuningCache& default_tuning() noexcept {
  static const TuningCache cache = read_default_tuning();
  return cache;
}

std::optional<RowPlan> known_row_plan(const TuningCache& cache, const std::string& device, std::int64_t rows,
                                      std::int64_t cols, const std::vector<RowPlan>& candidates) {
  const auto known = cache.find(device, row_key(rows, cols));
  const auto plan = std::find_if(candidates.begin(), candidates.end(),
                                 [&](const RowPlan& p) { return known && to_string(p) == *known; });
  if (plan == candidates.end()) return std::nullopt;  // missing, damaged or of another version
  return *plan;
}

RowPlan tune_rows(TuningCache& cache, const std::string& device, std::int64_t rows, std::int64_t cols,
                  const std::vector<RowPlan>& candidates,
                  const std::function<double(const RowPlan&)>& measure) {
  require(rows >= 0 && cols >= 0, "a matrix cannot be ", rows, " x ", cols);
  require(!candidates.empty(), "there is no row plan to choose from");
  require(measure != nullptr, "a row plan cannot be measured: the function measure is empty");
  if (const auto known = known_row_plan(cache, device, rows, cols, candidates)) return *known;
  std::optional<RowPlan> best;
  double best_us = std::numeric_limits<double>::infinity();
  std::string problem = "no time was a finite number";
  for (const RowPlan& plan : candidates) {
    try {
      const double us = measure(plan);
      if (us >= 0 && us < best_us) {
        best = plan;
        best_us = us;
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  if (!best) {
    throw Error("none of the " + std::to_string(candidates.size()) +
                " row plans could be measured: " + problem);
  }
  cache.remember(device, row_key(rows, cols), to_string(*best));
  return *best;
}

}  // namespace triptych::reduction
