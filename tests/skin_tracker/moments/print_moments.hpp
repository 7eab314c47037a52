// How a failed test prints moments.
#pragma once

#include <triptych/skin_tracker/head.hpp>

#include <ostream>

namespace triptych::skin_tracker {

inline std::ostream& operator<<(std::ostream& out, const Moments& s) {
  return out << "{" << s.weight << ", " << s.x << ", " << s.y << ", " << s.xx << ", " << s.xy << ", " << s.yy
             << "}";
}

}  // namespace triptych::skin_tracker
