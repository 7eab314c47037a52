// The files of a report, as text: nothing is written here.
#pragma once

#include <string>
#include <vector>

#include "load.hpp"

namespace triptych::report {

struct ReportFile {
  std::string name;
  std::string caption;  // one line: what it shows
  std::string text;
};

// comparison.md first, then the charts. The same results give the same bytes.
std::vector<ReportFile> make_report(const Results& results);

}  // namespace triptych::report
