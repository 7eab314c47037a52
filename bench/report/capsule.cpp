#include <algorithm>
#include <tuple>

#include "capsule.hpp"
#include "table.hpp"
#include "text.hpp"

namespace triptych::report {

namespace {

std::vector<const Entry*> capsule_entries(const Results& results) {
  std::vector<const Entry*> entries;
  for (const Entry& entry : results.entries) {
    if (entry.name.kind == Kind::capsule) entries.push_back(&entry);
  }
  return entries;
}

bool same_work(const Name& a, const Name& b) {
  return a.size == b.size && a.capsules == b.capsules && a.type == b.type;
}

std::optional<double> speed_up(const std::vector<const Entry*>& entries, const Entry& entry) {
  for (const Entry* other : entries) {
    if (other->name.series == capsule_baseline && same_work(other->name, entry.name))
      return other->time_us / entry.time_us;
  }
  return std::nullopt;
}

// The largest size, the end of both series.
const Entry* largest(const std::vector<const Entry*>& entries) {
  const auto work = [](const Entry* e) {
    return static_cast<double>(e->name.size.rows) * static_cast<double>(e->name.capsules) *
           static_cast<double>(e->name.size.cols);
  };
  const auto found =
      std::max_element(entries.begin(), entries.end(), [&](auto* a, auto* b) { return work(a) < work(b); });
  return found == entries.end() ? nullptr : *found;
}

CapsuleGrowth grow(const Results& results, bool by_points) {
  const std::vector<const Entry*> entries = capsule_entries(results);
  const Entry* end = largest(entries);
  if (end == nullptr) return {};
  const auto fixed_of = [&](const Name& name) { return by_points ? name.size.rows : name.size.cols; };
  const auto size_of = [&](const Name& name) { return by_points ? name.size.cols : name.size.rows; };
  CapsuleGrowth growth{fixed_of(end->name), end->name.capsules, {}};
  for (const Entry* entry : entries) {
    const Name& name = entry->name;
    if (fixed_of(name) != growth.fixed || name.capsules != growth.capsules || name.type != end->name.type)
      continue;
    auto curve = std::find_if(growth.curves.begin(), growth.curves.end(),
                              [&](const CapsuleCurve& c) { return c.series == name.series; });
    if (curve == growth.curves.end()) curve = growth.curves.insert(curve, CapsuleCurve{name.series, {}});
    curve->at.push_back({static_cast<double>(size_of(name)), entry->time_us, speed_up(entries, *entry)});
  }
  for (CapsuleCurve& curve : growth.curves)
    std::sort(curve.at.begin(), curve.at.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  std::erase_if(growth.curves, [](const CapsuleCurve& curve) { return curve.at.size() < 2; });
  return growth;
}

std::string milliseconds(double us) { return three_digits(us / 1e3); }

}  // namespace

CapsuleGrowth capsules_by_points(const Results& results) { return grow(results, true); }
CapsuleGrowth capsules_by_samples(const Results& results) { return grow(results, false); }

std::string capsule_table(const Results& results) {
  std::vector<const Entry*> entries = capsule_entries(results);
  if (entries.empty()) return "";
  const std::vector<const Entry*> all = entries;
  const auto key = [](const Entry* e) {
    return std::tuple(e->name.type, e->name.capsules, e->name.size.rows, e->name.size.cols);
  };
  std::stable_sort(entries.begin(), entries.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  std::string text =
      "Milliseconds for all samples. A speed-up is over the sequential loop of the paper's listing 1.2, on "
      "the "
      "same machine, at the same size.\n\n";
  const Entry* last = nullptr;
  for (const Entry* entry : entries) {
    const Name& name = entry->name;
    if (last == nullptr || key(last) != key(entry)) {
      if (last != nullptr) text += "\n";
      text += "### " + std::to_string(name.size.rows) + " samples, " + std::to_string(name.capsules) +
              " capsules, " + std::to_string(name.size.cols) + " points, " + escape_markdown(name.type) +
              "\n\n" + table_header({"form", "ms", "10th percentile", "90th percentile", "speed-up"});
    }
    last = entry;
    const std::optional<double> over = speed_up(all, *entry);
    text +=
        table_row({escape_markdown(name.series) + ", " + escape_markdown(name.mode),
                   milliseconds(entry->time_us), entry->low_us ? milliseconds(*entry->low_us) : "-",
                   entry->high_us ? milliseconds(*entry->high_us) : "-", over ? three_digits(*over) : "-"});
  }
  return text + "\n";
}

}  // namespace triptych::report
