#include <algorithm>
#include <cctype>
#include <string>

#include "sides.hpp"

namespace triptych::capsule_demo {

Side side_of(std::string_view joint) {
  joint = joint.substr(joint.find_last_of(':') + 1);  // npos + 1 is 0
  std::string lower(joint);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("left") != std::string::npos) return Side::left;
  if (lower.find("right") != std::string::npos) return Side::right;
  // One letter, then a new word.
  if (joint.size() > 1 && (joint[1] == '_' || std::isupper(static_cast<unsigned char>(joint[1])) != 0)) {
    if (lower[0] == 'l') return Side::left;
    if (lower[0] == 'r') return Side::right;
  }
  return Side::middle;
}

}  // namespace triptych::capsule_demo
