#include <algorithm>
#include <array>

#include "skin.hpp"
#include "text.hpp"
#include "verdict.hpp"

namespace triptych::report {

namespace {

std::string subject(const Entry& entry) {
  return "- skin of " + escape_markdown(entry.name.type) + ", " + escape_markdown(entry.name.mode) + ": " +
         escape_markdown(entry.name.series) + " ";
}

std::string us_text(double us) { return three_digits(us) + " us"; }

// "is **2.00x** as fast as <other>", with a note when the spreads overlap.
std::string speed_words(const Entry& ours, const Entry& other, const std::string& name) {
  const Comparison one = compare(ours, other);
  const std::string note = one.outcome == Outcome::same ? std::string(" (") + word(one.outcome) + ")" : "";
  return "is **" + times_text(one.speed_up) + "** as fast as " + name + note;
}

// The fastest entry that exists; null when none does.
const Entry* faster(const Entry* a, const Entry* b) {
  if (!a || !b) return a ? a : b;
  return b->time_us < a->time_us ? b : a;
}

// Our calls are in a graph; so are those of the others where they can be captured.
std::string resident_line(const SkinEntries& entries) {
  const Entry* fast = entries.at("fast", "resident");
  if (!fast) return "";
  std::string others;
  for (const std::string_view series : {"gpu8", "cub", "thrust", "peer_torch_compiled", "peer_torch_graph"}) {
    const Entry* other = entries.at(series, "resident");
    const bool one_by_one = !other || series.starts_with("peer_");
    if (!other) other = entries.at(series, "calculation");
    if (!other) continue;
    others +=
        (others.empty() ? ": **" : ", **") + fixed(other->time_us / fast->time_us, 1) + "x** as fast as ";
    others.append(series).append(one_by_one ? " (calls one by one)" : "");
  }
  return subject(*fast) + "takes **" + us_text(fast->time_us) + "**, calls in a graph" + others + ".\n";
}

// The number at the end of "batch64"; 0 for other series.
std::int64_t frames_in(const std::string& series) {
  constexpr std::string_view start = "batch";
  return series.starts_with(start) ? parse_count(series.substr(start.size())) : 0;
}

std::string batch_line(const SkinEntries& entries, const Limits& limits) {
  const Entry* batch = nullptr;
  for (const Entry* entry : entries.all()) {
    const Name& name = entry->name;
    if (name.type != "rgba" || name.mode != "rotating" || frames_in(name.series) == 0) continue;
    if (!batch || frames_in(name.series) > frames_in(batch->name.series)) batch = entry;
  }
  if (!batch) return "";
  const double us = batch->time_us / static_cast<double>(frames_in(batch->name.series));
  const std::optional<double> share = share_of(*batch, limits.read_gpu);
  return subject(*batch) + "takes **" + us_text(us) + "** per frame" +
         (share ? " and " + share_words(*share, "what the GPU can read") : "") + ".\n";
}

std::string copy_line(const SkinEntries& entries, const Limits& limits) {
  const Entry* tracker = entries.at("tracker_cuda", "pinned");
  if (!tracker || !limits.copy_us) return "";
  return subject(*tracker) + "takes **" + times_text(tracker->time_us / *limits.copy_us) +
         "** the time of the pure copy (" + us_text(tracker->time_us) + ", the copy " +
         us_text(*limits.copy_us) + ").\n";
}

std::string joint_line(const SkinEntries& entries, const std::string& mode, const std::string& format) {
  const Entry* joint = entries.at("tracker_joint", mode, format);
  const Entry* cpu = entries.at("tracker_cpu", mode, format);
  const Entry* cuda = entries.at("tracker_cuda", "pinned", format);
  const Entry* better = faster(cpu, cuda);
  if (!joint || !better) return "";
  const std::string which = cpu && cuda ? ", the better of tracker_cpu and tracker_cuda" : "";
  return subject(*joint) + speed_words(*joint, *better, better->name.series + which) + ".\n";
}

std::string joint_lines(const SkinEntries& entries) {
  std::string lines;
  for (const char* mode : {"pinned", "pinned_by_itself", "pinned_12_threads", "pinned_8_threads",
                           "pinned_4_threads", "pinned_2_threads"})
    lines += joint_line(entries, mode, "rgba");
  for (const char* format : {"rgb", "nv12", "yuyv"}) lines += joint_line(entries, "pinned", format);
  return lines;
}

std::string format_line(const SkinEntries& entries) {
  const Entry* nv12 = entries.at("tracker_cuda", "pinned", "nv12");
  const Entry* rgba = entries.at("tracker_cuda", "pinned");
  if (!nv12 || !rgba) return "";
  return subject(*nv12) + speed_words(*nv12, *rgba, "with rgba") + ": " + us_text(nv12->time_us) +
         " instead of " + us_text(rgba->time_us) + ".\n";
}

// The fastest of OpenCV's chains on that many threads; null when none was measured.
const Entry* opencv(const SkinEntries& entries, std::int64_t threads) {
  const Entry* best = nullptr;
  for (const Entry* entry : entries.all()) {
    if (entry->name.series == "peer_opencv" && entry->name.threads == threads) best = faster(best, entry);
  }
  return best;
}

std::string cpu_line(const SkinEntries& entries, const std::string& series, std::int64_t threads,
                     std::optional<double> limit, const std::string& limit_words) {
  const Entry* ours = entries.at(series, "total");
  if (!ours) return "";
  std::string words;
  if (const Entry* other = threads > 0 ? opencv(entries, threads) : nullptr) {
    words = speed_words(*ours, *other,
                        "peer_opencv (" + escape_markdown(other->name.mode) + ") on " +
                            std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  }
  if (const std::optional<double> share = share_of(*ours, limit)) {
    words += (words.empty() ? "" : " and ") + share_words(*share, limit_words);
  }
  return words.empty() ? "" : subject(*ours) + words + ".\n";
}

// How many threads the bench used: the 2 of "CPU: <name>, 2 of 16 logical cores, ..."; 0 when not said.
std::int64_t threads_of_bench(const Results& results) {
  const std::string cpu = fact(results, "cpu");
  const std::size_t of = cpu.rfind(" of ");
  const std::size_t comma = cpu.rfind(", ", of);
  if (of == std::string::npos || comma == std::string::npos) return 0;
  return parse_count(std::string_view(cpu).substr(comma + 2, of - comma - 2));
}

}  // namespace

std::string skin_verdict(const Results& results, const Limits& limits) {
  const SkinEntries entries(results);
  return resident_line(entries) + batch_line(entries, limits) + copy_line(entries, limits) +
         joint_lines(entries) + format_line(entries) +
         cpu_line(entries, "threads", threads_of_bench(results), limits.read_cpu_all,
                  "what all cores can read") +
         cpu_line(entries, "simd", 1, limits.read_cpu_1, "what one core can read");
}

}  // namespace triptych::report
