#include <triptych/core/error.hpp>
#include <triptych/core/pixel.hpp>

#include <string>

namespace triptych {

namespace {

struct Entry {
  PixelFormat format;
  std::string_view name;
  int channels;
};

template <class P>
constexpr Entry entry(std::string_view name) {
  return {PixelTraits<P>::format, name, PixelTraits<P>::channels};
}

constexpr Entry entries[] = {entry<Rgb8>("rgb8"), entry<Bgr8>("bgr8"), entry<Rgba8>("rgba8"),
                             entry<Bgra8>("bgra8"), entry<Grey8>("grey8")};

const Entry& find(PixelFormat format) {
  for (const Entry& e : entries) {
    if (e.format == format) return e;
  }
  throw InvalidArgument("there is no pixel format number " + std::to_string(static_cast<int>(format)));
}

}  // namespace

int channels(PixelFormat format) { return find(format).channels; }
std::string to_string(PixelFormat format) { return std::string(find(format).name); }

PixelFormat parse_pixel_format(std::string_view name) {
  std::string known;
  for (const Entry& e : entries) {
    if (e.name == name) return e.format;
    known.append(known.empty() ? "" : ", ").append(e.name);
  }
  throw InvalidArgument("\"" + std::string(name) + "\" is not a pixel format; expected one of " + known);
}

}  // namespace triptych
