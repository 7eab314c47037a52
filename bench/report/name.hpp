// The parts of the name of a benchmark:
//   limit/<read, launch or copy>/<where>
//   <group>/<type>/<series>/<mode>/<n>               groups of array_groups()
//   multiply/<type>/<series>/<mode>/<rows>x<cols>
//   skin/<format>/<series>/<mode>                    or with /<width>x<height> or /threads:<n> after it
//   capsule/<loss>/<series>/<mode>/<samples>x<capsules>x<points>
//   aam/<storage>/<series>/<mode>/<faces>x<modes>x<pixels>
// Other names have the kind other and are shown in a plain table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace triptych::report {

enum class Kind { limit, array, matrix, skin, capsule, aam, other };

struct Size {
  std::int64_t rows = 0;  // 0 for arrays
  std::int64_t cols = 0;  // arrays: the number of elements; 0 when the name has no size
  bool operator==(const Size&) const = default;
  bool operator<(const Size& other) const {
    return rows != other.rows ? rows < other.rows : cols < other.cols;
  }
};

struct Name {
  Kind kind = Kind::other;
  std::string text;    // the whole name, without what Google Benchmark appends ("/manual_time", ...)
  std::string group;   // the first part
  std::string type;    // of the elements; limit: read, launch or copy; skin: the frame's format;
                       // capsule: the loss; aam: how the matrix is stored
  std::string series;  // the strategy, the variant or the peer; limit: gpu, cpu_1, cpu_all
  std::string mode;
  Size size;                  // capsule: samples and points; aam: faces and pixels
  std::int64_t capsules = 0;  // capsule: of a body
  std::int64_t modes = 0;     // aam: of the model
  std::int64_t threads = 0;   // skin: those of a peer; 0 when the name has none
};

Name parse_name(std::string_view text);

// In the order of the report; so are the types, modes and series, which may also hold names not listed.
std::span<const std::string_view> array_groups();
std::span<const std::string_view> known_types();
std::span<const std::string_view> known_modes();
std::span<const std::string_view> known_series();

// The position in a list of known names, its length when not there: known names sort first.
std::size_t rank(std::span<const std::string_view> known, std::string_view name);

// "2^20" or "64 x 2^20" (rows x columns).
std::string to_string(const Size& size);

}  // namespace triptych::report
