#include <triptych/core/cpu_path.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace triptych {

std::string to_string(CpuPath path) {
  constexpr std::string_view names[] = {"plain", "avx2", "avx512", "neon", "simd"};
  const auto i = static_cast<std::size_t>(path);
  require(i < std::size(names), "there is no CPU path number ", i);
  return std::string(names[i]);
}

CpuPath pick_cpu_path(CpuPath wanted, std::span<const CpuPath> available) {
  require(!available.empty(), "a loop needs at least one CPU path");
  if (wanted == CpuPath::simd) return available.back();
  require(std::find(available.begin(), available.end(), wanted) != available.end(),
          "this machine does not have the CPU path ", to_string(wanted));
  return wanted;
}

}  // namespace triptych
