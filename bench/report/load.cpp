#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <algorithm>
#include <array>
#include <map>

#include "load.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

// Keys of Google Benchmark that the report omits; the host name and the program path are private.
constexpr std::array<std::string_view, 5> ignored_facts = {"host_name", "executable", "library_version",
                                                           "library_build_type", "date"};
// Counters that the report speaks of.
constexpr std::array<const char*, 5> known_counters = {"difference_px", "mean_error", "median_error",
                                                       "share_below", "start_error"};
constexpr std::array<std::string_view, 5> first_facts = {"gpu", "cpu", "cuda", "compiler", "mode"};

double unit_in_us(const std::string& unit, const std::string& file) {
  if (unit == "ns") return 1e-3;
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  throw ParseError(file, 0, 0,
                   "expected \"time_unit\" to be ns, us, ms or s, found \"" + printable(unit) + "\"");
}

// Larger counters or times are invalid.
bool is_plausible(double value) { return value >= 1e-6 && value <= 1e18; }

std::optional<double> positive(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number() || !is_plausible(found->get<double>())) return std::nullopt;
  return found->get<double>();
}

bool flag(const Json& json, const char* key) { return json.contains(key) && json[key] == true; }

std::string words(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? without_folders(json[key].get<std::string>())
                                                     : std::string("no reason given");
}

Facts parse_facts(const Json& context) {
  Facts facts;
  for (const auto& [key, value] : context.items()) {
    const bool ignored = std::find(ignored_facts.begin(), ignored_facts.end(), key) != ignored_facts.end();
    if (value.is_string() && !ignored) facts.emplace_back(key, without_folders(value.get<std::string>()));
  }
  std::stable_sort(facts.begin(), facts.end(), [](const auto& a, const auto& b) {
    return rank(first_facts, a.first) < rank(first_facts, b.first);
  });
  for (const char* key : {"num_cpus", "cores"}) {  // Google Benchmark's word, and that of bench/peers
    if (!context.contains(key) || !context[key].is_number_integer()) continue;
    facts.emplace_back("logical cores", context[key].dump());
    break;
  }
  if (context.contains("date") && context["date"].is_string()) {
    facts.emplace_back("date", context["date"].get<std::string>().substr(0, 10));
  }
  return facts;
}

double parse_time_us(const Json& json, const std::string& file) {
  if (json.contains("us") && !json.contains("real_time")) return at<double>(json, "us", file);
  return at<double>(json, "real_time", file) * unit_in_us(at<std::string>(json, "time_unit", file), file);
}

void parse_entry(const Json& json, const std::string& file, Results& results) {
  const auto name = at<std::string>(json, "name", file);
  if (flag(json, "error_occurred")) {
    results.failures.push_back({parse_name(name).text, words(json, "error_message")});
    return;
  }
  if (flag(json, "skipped")) {
    results.failures.push_back({parse_name(name).text, "skipped: " + words(json, "skip_message")});
    return;
  }
  Entry entry;
  entry.name = parse_name(name);
  entry.time_us = parse_time_us(json, file);
  if (!is_plausible(entry.time_us)) {
    results.failures.push_back(
        {entry.name.text, "its time makes no sense: " + three_digits(entry.time_us) + " us"});
    return;
  }
  entry.low_us = positive(json, "low_us");
  entry.high_us = positive(json, "high_us");
  if (!entry.low_us || !entry.high_us || *entry.low_us > *entry.high_us) entry.low_us = entry.high_us = {};
  entry.bytes = positive(json, "bytes");
  entry.share = positive(json, "share");
  for (const char* counter : known_counters) {
    if (json.contains(counter) && json[counter].is_number())
      entry.counters[counter] = json[counter].get<double>();
  }
  results.entries.push_back(std::move(entry));
}

// The means and deviations over repetitions are not repetitions themselves.
bool is_aggregate(const Json& json) {
  return json.is_object() && json.contains("run_type") && json["run_type"] == "aggregate";
}

// Of the entries that share a name, the one with the median time, at the position of the first.
void merge_repetitions(std::vector<Entry>& entries) {
  std::map<std::string, std::vector<Entry>> repetitions;
  for (const Entry& entry : entries) repetitions[entry.name.text].push_back(entry);
  std::vector<Entry> merged;
  for (const Entry& entry : entries) {
    std::vector<Entry>& same = repetitions[entry.name.text];
    if (same.empty()) continue;
    std::stable_sort(same.begin(), same.end(),
                     [](const Entry& a, const Entry& b) { return a.time_us < b.time_us; });
    merged.push_back(same[(same.size() - 1) / 2]);
    same.clear();
  }
  entries = std::move(merged);
}

Json read_results(const std::filesystem::path& path) {
  const char* expected = "; expected what a bench program writes with --benchmark_out=FILE";
  if (read_text(path).find_first_not_of(" \t\r\n") == std::string::npos) {
    throw ParseError(path.string(), 0, 0, std::string("the file is empty") + expected);
  }
  try {
    return read_json(path);
  } catch (const ParseError& error) {
    throw ParseError(error.file(), error.line(), error.column(), std::string("this is not JSON") + expected);
  }
}

// Whether the facts can be of one machine: equal, or one of them the bare name of the other.
bool may_be_same(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b || a == hardware_name(b) || b == hardware_name(a);
}

void append_facts(const Facts& more, Facts& facts) {
  for (const auto& [key, value] : more) {
    const auto same =
        std::find_if(facts.begin(), facts.end(), [&, k = key](const auto& f) { return f.first == k; });
    if (same == facts.end()) {
      facts.emplace_back(key, value);
    } else if (value.find(same->second) != std::string::npos) {
      same->second = value;
    } else if (same->second.find(value) == std::string::npos) {
      same->second += ", " + value;
    }
  }
}

}  // namespace

std::string fact(const Results& results, std::string_view key) {
  for (const auto& [name, value] : results.facts) {
    if (name == key) return value;
  }
  return "";
}

std::string hardware_name(const std::string& fact) {
  const std::size_t colon = fact.find(": ");
  const std::string name = colon == std::string::npos ? fact : fact.substr(colon + 2);
  return name.substr(0, name.find(','));
}

Results parse_results(const Json& json, const std::string& file) {
  const char* expected = "this is JSON, but no results of a bench program: expected ";
  const bool object = json.is_object();
  if (!object || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
    throw ParseError(file, 0, 0, std::string(expected) + "a list \"benchmarks\"");
  }
  if (!json.contains("context") || !json["context"].is_object()) {
    throw ParseError(file, 0, 0, std::string(expected) + "an object \"context\" that names the hardware");
  }
  Results results;
  results.facts = parse_facts(json["context"]);
  for (const Json& entry : json["benchmarks"]) {
    if (!is_aggregate(entry)) parse_entry(entry, file, results);
  }
  if (results.entries.empty() && results.failures.empty()) {
    throw ParseError(file, 0, 0,
                     "there are no benchmarks in it; run the bench without a filter, or with another");
  }
  merge_repetitions(results.entries);
  return results;
}

Results load(std::span<const std::filesystem::path> files) {
  Results all;
  for (const std::filesystem::path& file : files) {
    Results one = parse_results(read_results(file), file.string());
    for (const auto& [part, words] :
         {std::pair{"gpu", "gpu"}, {"cpu", "cpu"}, {"logical cores", "number of logical cores"}}) {
      const std::string before = fact(all, part);
      const std::string now = fact(one, part);
      require(may_be_same(before, now), file.string(), " was measured on another ", words, " (",
              printable(now), ") than the files before it (", printable(before),
              "); report each machine by itself");
    }
    append_facts(one.facts, all.facts);
    all.entries.insert(all.entries.end(), one.entries.begin(), one.entries.end());
    all.failures.insert(all.failures.end(), one.failures.begin(), one.failures.end());
  }
  merge_repetitions(all.entries);
  return all;
}

}  // namespace triptych::report
