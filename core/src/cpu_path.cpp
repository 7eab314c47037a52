// Names of instruction sets, and the choice among those that a machine has.
#include <triptych/core/cpu_path.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace triptych {

std::string to_string(CpuPath path) {
  constexpr std::string_view names[] = {"plain", "avx2", "avx512", "neon", "simd"};
  const auto i = static_cast<std::size_t>(path);
  require(i < std::size(names), "there is no path number ", i);
  return std::string(names[i]);
}

CpuPath pick_cpu_path(CpuPath wanted, std::span<const CpuPath> available) {
  require(!available.empty(), "a loop needs one path at least");
  if (wanted == CpuPath::simd) return available.back();
  require(std::find(available.begin(), available.end(), wanted) != available.end(),
          "this machine has no path ", to_string(wanted));
  return wanted;
}

}  // namespace triptych
