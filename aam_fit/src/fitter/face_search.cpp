#include <triptych/core/error.hpp>
#include <triptych/core/length.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <cmath>

#include "crop/prepare_cpu.hpp"
#include "fitter/face_search.hpp"

namespace triptych::aam_fit {

namespace {

constexpr double size_ratio = 1.2;              // from one size to the next: fits correct a tenth either way
constexpr int stride = 4;                       // from one place to the next, in pixels of the planes
constexpr std::int64_t template_samples = 400;  // of the mean texture, per channel, about
constexpr double max_offset = 1 << 20;          // beyond any planes
constexpr double padding = 0.15;                // around the image, in face sizes
// Of two candidates with centres nearer than this, in sizes of the smaller one, and with sizes of a smaller
// ratio than that, one stays.
constexpr double min_candidate_distance = 0.25, min_candidate_ratio = 1.5;

// Of the planes of a search: below the limits of a crop, with a border; and half a gibibyte of floats.
constexpr double max_plane_pixels = 3 << 23, max_plane_side = 15 << 10, max_plane_floats = 1 << 27;

// Some pixels of the mean texture at the mean shape, as offsets in the planes from the shape's origin.
struct Template {
  struct Sample {
    int x, y, channel;
    float weight;
  };
  std::vector<Sample> samples;  // the weights have the sum 0 and the squared sum 1
  int left = 0, right = 0, top = 0, bottom = 0;
};

Template make_template(const Level& level) {
  Template made;
  const std::int64_t skip = std::max<std::int64_t>(1, level.pixels() / template_samples);
  const auto channel_count = static_cast<int>(level.samples() / level.pixels());
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < level.pixels(); i += skip) {
    const WarpPixel& pixel = level.frame.pixels[i];
    const auto at = [&](int axis) {
      const auto corner = [&](int k) { return double{level.s0[2 * pixel.corners[k] + axis]}; };
      const auto a = double{pixel.a}, b = double{pixel.b};
      const double place = a * corner(0) + b * corner(1) + (1 - a - b) * corner(2);
      return static_cast<int>(std::lround(std::clamp(place, -max_offset, max_offset)));
    };
    const int x = at(0), y = at(1);
    made.left = std::min(made.left, x);
    made.right = std::max(made.right, x);
    made.top = std::min(made.top, y);
    made.bottom = std::max(made.bottom, y);
    for (int c = 0; c < channel_count; ++c) {
      const float weight = level.g0[c * level.pixels() + i];
      made.samples.push_back({x, y, c, weight});
      sum += double{weight};
    }
  }
  const double mean = sum / static_cast<double>(made.samples.size());
  for (const Template::Sample& s : made.samples)
    squares += (double{s.weight} - mean) * (double{s.weight} - mean);
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (Template::Sample& s : made.samples) s.weight = static_cast<float>((double{s.weight} - mean) * scale);
  return made;
}

// Planes whose columns are sorted by their remainder of the stride: places of a row lie side by side.
struct SortedPlanes {
  int width = 0, height = 0;  // width: columns of one remainder
  std::vector<float> values;
  const float* row(int channel, int y, int remainder) const {
    return values.data() +
           ((static_cast<std::ptrdiff_t>(channel) * height + y) * stride + remainder) * std::ptrdiff_t{width};
  }
};

void sort_columns(const Planes& planes, SortedPlanes& sorted, int threads) {
  sorted.width = (planes.width + stride - 1) / stride;
  sorted.height = planes.height;
  const std::int64_t rows = std::int64_t{planes.height} * planes.channels;
  sorted.values.resize(static_cast<std::size_t>(rows) * stride * static_cast<std::size_t>(sorted.width));
  parallel_chunks(rows, 64, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      const float* in = planes.values.data() + r * planes.width;
      float* out = sorted.values.data() + r * stride * sorted.width;
      for (int x = 0; x < planes.width; ++x)
        out[x % stride * std::ptrdiff_t{sorted.width} + x / stride] = in[x];
    }
  });
}

// Correlations at all places where the template lies in the planes: `columns` of each row.
struct Map {
  int columns = 0, rows = 0;
  std::vector<float> values;
  float at(int x, int y) const {
    return x < 0 || y < 0 || x >= columns || y >= rows
               ? -2.0f
               : values[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
                        static_cast<std::size_t>(x)];
  }
};

Map correlate(const Template& face, const SortedPlanes& planes, int plane_width, int threads) {
  Map map;
  const int across = plane_width - 1 - (face.right - face.left);
  const int down = planes.height - 1 - (face.bottom - face.top);
  if (across < 0 || down < 0) return {};
  map.columns = across / stride + 1;
  map.rows = down / stride + 1;
  const auto columns = static_cast<std::size_t>(map.columns);
  map.values.resize(columns * static_cast<std::size_t>(map.rows));
  const auto n = static_cast<float>(face.samples.size());
  parallel_chunks(map.rows, 1, threads, [&](std::int64_t row, std::int64_t, std::int64_t) {
    std::vector<float> sums(columns), squares(columns);
    float* dots = map.values.data() + static_cast<std::size_t>(row) * columns;
    const int y = static_cast<int>(row) * stride - face.top;
    for (const Template::Sample& s : face.samples) {
      const int x = s.x - face.left;
      const float* v = planes.row(s.channel, y + s.y, x % stride) + x / stride;
      for (std::size_t k = 0; k < columns; ++k) {
        dots[k] += s.weight * v[k];
        sums[k] += v[k];
        squares[k] += v[k] * v[k];
      }
    }
    for (std::size_t k = 0; k < columns; ++k) {
      const float spread = squares[k] - sums[k] * sums[k] / n;
      dots[k] = spread > 1e-6f * squares[k] && spread > 0 ? dots[k] / std::sqrt(spread) : 0.0f;
    }
  });
  return map;
}

// The places of the map that no neighbour exceeds.
void add_peaks(const Map& map, const Template& face, const Crop& crop, double size,
               std::vector<Candidate>& peaks) {
  for (int y = 0; y < map.rows; ++y)
    for (int x = 0; x < map.columns; ++x) {
      const float value = map.at(x, y);
      bool peak = value > 0;
      for (int k = 0; k < 9 && peak; ++k) peak = map.at(x + k % 3 - 1, y + k / 3 - 1) <= value;
      if (!peak) continue;
      const Point centre = to_frame(
          crop, {static_cast<double>(x * stride - face.left), static_cast<double>(y * stride - face.top)});
      peaks.push_back({double{value}, centre.x, centre.y, size});
    }
}

bool same_place(const Candidate& a, const Candidate& b) {
  const double smaller = std::min(a.size, b.size), larger = std::max(a.size, b.size);
  return larger < min_candidate_ratio * smaller &&
         length(a.x - b.x, a.y - b.y) < min_candidate_distance * smaller;
}

}  // namespace

bool is_searchable(const Model& model, double width, double height, double min_px) {
  const Level& level = model.levels.front();
  const double scale = level.face_size_px / min_px, pixels = width * height * scale * scale;
  return pixels < max_plane_pixels && pixels * channels(level.features) < max_plane_floats &&
         std::max(width, height) * scale < max_plane_side;
}

Shape start_at(const Model& model, const Candidate& place) {
  return posed(Similarity{place.size - 1, 0, place.x, place.y}, model.mean);
}

std::vector<Candidate> search_faces(const Model& model, ImageView<const Grey8> image, double min_px,
                                    double max_px, int most, int threads) {
  const Level& level = model.levels.front();
  const Template face = make_template(level);
  PrepareScratch scratch;
  Planes planes;
  SortedPlanes sorted;
  std::vector<Candidate> peaks;
  for (double size = min_px; size <= max_px * (1 + 1e-9); size *= size_ratio) {
    Crop crop;
    crop.step = size / level.face_size_px;
    const double border = padding * size;
    const auto steps = [&](std::int64_t side) {
      return static_cast<int>(std::ceil((static_cast<double>(side) + 2 * border) / crop.step));
    };
    crop.width = steps(image.width());
    crop.height = steps(image.height());
    crop.x_px = crop.y_px = -border;
    prepare_cpu(image, crop, level.features, planes, scratch, threads);
    sort_columns(planes, sorted, threads);
    add_peaks(correlate(face, sorted, planes.width, threads), face, crop, size, peaks);
  }
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const Candidate& a, const Candidate& b) { return a.correlation > b.correlation; });
  std::vector<Candidate> best;
  for (const Candidate& peak : peaks) {
    if (static_cast<int>(best.size()) == most) break;
    if (std::none_of(best.begin(), best.end(), [&](const Candidate& b) { return same_place(b, peak); }))
      best.push_back(peak);
  }
  return best;
}

}  // namespace triptych::aam_fit
