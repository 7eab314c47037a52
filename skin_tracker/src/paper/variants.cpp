#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/variants.hpp>

#include <array>
#include <iterator>
#include <limits>
#include <string>

namespace triptych::skin_tracker {

namespace {

struct VariantName {
  Variant variant;
  std::string_view text;
  bool gpu, table;
};
constexpr VariantName variant_names[] = {
    {Variant::gpu1, "gpu1", true, false},        {Variant::gpu2, "gpu2", true, false},
    {Variant::gpu3, "gpu3", true, false},        {Variant::gpu4, "gpu4", true, false},
    {Variant::gpu5, "gpu5", true, false},        {Variant::gpu6, "gpu6", true, false},
    {Variant::gpu7, "gpu7", true, false},        {Variant::gpu8, "gpu8", true, false},
    {Variant::cpu1, "cpu1", false, false},       {Variant::cpu2, "cpu2", false, true},
    {Variant::cpu3, "cpu3", false, true},        {Variant::joint, "joint", true, true},
    {Variant::fixed, "fixed", false, false},     {Variant::simd, "simd", false, false},
    {Variant::threads, "threads", false, false}, {Variant::fast, "fast", true, false},
    {Variant::cub, "cub", true, false},          {Variant::thrust, "thrust", true, false}};

constexpr auto variants = [] {
  std::array<Variant, std::size(variant_names)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = variant_names[i].variant;
  return all;
}();

const VariantName& name_of(Variant variant) {
  for (const VariantName& name : variant_names) {
    if (name.variant == variant) return name;
  }
  throw InvalidArgument("there is no variant number " + std::to_string(static_cast<int>(variant)));
}

}  // namespace

std::span<const Variant> all_variants() { return variants; }

std::string to_string(Variant variant) { return std::string(name_of(variant).text); }

Variant parse_variant(std::string_view text) {
  std::string known;
  for (const VariantName& name : variant_names) {
    if (name.text == text) return name.variant;
    known += (known.empty() ? "" : ", ") + std::string(name.text);
  }
  throw InvalidArgument("\"" + std::string(text.substr(0, 80)) + "\" is no variant; expected one of " +
                        known);
}

bool needs_gpu(Variant variant) { return name_of(variant).gpu; }
bool needs_table(Variant variant) { return name_of(variant).table; }

Head head_of(const FloatMoments& moments, int width, int height) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Head head{nan, nan, 0, 0, nan, nan, nan, false};
  if (!(moments.weight > 0)) return head;
  require(width > 0 && height > 0, "moments with weight cannot come from a frame of ", width, " x ", height,
          " pixels");
  head.weight_px = double{moments.weight};
  head.x_px = double{moments.x} / head.weight_px;
  head.y_px = double{moments.y} / head.weight_px;
  head.area = head.weight_px / (static_cast<double>(width) * height);
  head.found = true;
  return head;
}

}  // namespace triptych::skin_tracker
