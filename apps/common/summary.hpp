// The summary of a run as text.
#pragma once

#include <triptych/core/json.hpp>

#include <string>

namespace triptych::apps {

// Names of files that are not UTF-8 are written with U+FFFD for what is none.
inline std::string summary_text(const Json& summary) {
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace triptych::apps
