// Models that fit themselves, with any numbers in them: the input is a list of changes to a small model.
#include <span>

#include "aam_fit/tiny_model.hpp"
#include "fuzz/aam_fit/use_model.hpp"

namespace triptych {
namespace {

class Changes {
 public:
  explicit Changes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool left() const { return !bytes_.empty(); }
  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof(T), bytes_.size());
    std::memcpy(&value, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

void change(SharedArray<float>& array, Changes& in) {
  if (array.empty()) return;
  std::vector<float> values(array.begin(), array.end());
  values[in.take<std::uint8_t>() % values.size()] = in.take<float>();
  array = std::move(values);
}

void change(aam_fit::Level& level, Changes& in) {
  SharedArray<float>* const arrays[] = {&level.s0, &level.Qs,    &level.Ks, &level.g0, &level.Qg,
                                        &level.R,  &level.sigma, &level.Ps, &level.Pg, &level.ps_sigma};
  const auto what = in.take<std::uint8_t>();
  if (what < 160) {
    change(*arrays[what % 10], in);
    return;
  }
  switch (what % 12) {
    case 0:
      level.features.kind = static_cast<aam_fit::FeatureKind>(in.take<std::uint8_t>() % 5);
      break;
    case 1:
      level.features.smooth_px = in.take<float>();
      break;
    case 2:
      level.features.local_px = in.take<float>();
      break;
    case 3:
      level.features.pool_px = in.take<float>();
      break;
    case 4:
      level.normalisation = static_cast<aam_fit::Normalisation>(in.take<std::uint8_t>() % 4);
      break;
    case 5:
      level.sample_offset = in.take<float>();
      break;
    case 6:
      level.iterations = in.take<std::uint16_t>();
      break;
    case 7:
      level.frame.width = in.take<std::uint16_t>();
      break;
    case 8:
      level.frame.height = in.take<std::uint16_t>();
      break;
    case 9:
      level.texture_determines_c = !level.texture_determines_c;
      break;
    case 10:
      level.frame.scale = in.take<double>();
      break;
    default: {
      std::vector<aam_fit::WarpPixel> pixels(level.frame.pixels.begin(), level.frame.pixels.end());
      aam_fit::WarpPixel& pixel = pixels[in.take<std::uint8_t>() % pixels.size()];
      pixel.corners[0] = in.take<std::uint8_t>() % 4;
      pixel.a = in.take<float>();
      level.frame.pixels = std::move(pixels);
    }
  }
}

aam_fit::Model changed_model(Changes in) {
  using namespace aam_fit;
  Model model = test::tiny_model();
  const auto shape = in.take<std::uint8_t>();
  const auto kind = static_cast<FeatureKind>(shape & 3);
  const double size_px = 2.0 + 0.25 * in.take<std::uint8_t>();
  model.levels[1] = test::tiny_level({.kind = kind, .bins = 2 + (shape >> 2 & 15)}, shape >> 6, size_px);
  while (in.left()) {
    const std::size_t which = in.take<std::uint8_t>() % 4u;
    if (which < 3)
      change(which == 2 ? model.appearance : model.levels[which], in);
    else
      model.mean[in.take<std::uint8_t>() % 3] = {in.take<double>(), in.take<double>()};
  }
  return model;
}

}  // namespace
}  // namespace triptych

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych;
  fuzz::only_errors([&] { fuzz::use_model(changed_model(Changes({data, size}))); });
  return 0;
}
