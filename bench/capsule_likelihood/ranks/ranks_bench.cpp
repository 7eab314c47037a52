// One row of the scaling of a shared filter: the time of a frame, of a frame without points, and of the sums
// and broadcasts alone. Runs alone or under mpirun; rank 0 prints the row as JSON. scaling.py runs it.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/json.hpp>
#include <triptych/core/mpi_exchange.hpp>
#include <triptych/core/nccl_exchange.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace triptych;
using namespace triptych::capsule_likelihood;

namespace {

struct Settings {
  std::string device = "cpu", exchange = "mpi", split = "samples";
  int samples = 2000, points = 10000, frames = 10, threads = 1;
};

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    const auto number = [&] {
      return static_cast<int>(std::max(1L, std::strtol(value.c_str(), nullptr, 10)));
    };
    if (name == "--device") {
      s.device = value;
    } else if (name == "--exchange") {
      s.exchange = value;
    } else if (name == "--split") {
      s.split = value;
    } else if (name == "--samples") {
      s.samples = number();
    } else if (name == "--points") {
      s.points = number();
    } else if (name == "--frames") {
      s.frames = number();
    } else if (name == "--threads") {
      s.threads = number();
    } else {
      require(false, "there is no option ", name);
    }
  }
  require(s.split == "samples" || s.split == "cameras", "--split takes samples or cameras");
  require(s.exchange == "mpi" || s.exchange == "nccl", "--exchange takes mpi or nccl");
  return s;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// The median time of work() on the slowest rank, in microseconds.
template <class Work>
double time_us(Exchange& exchange, int rounds, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    agree(exchange, "");  // the ranks begin together
    const Stopwatch watch;
    work(i);
    times.push_back(watch.elapsed_us());
  }
  const double own = median(times);
  std::vector<double> all(static_cast<std::size_t>(exchange.size()));
  exchange.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return *std::max_element(all.begin(), all.end());
}

double time_sum_us(Exchange& exchange, std::int64_t count) {
  if (exchange.sums_on_device()) {
    const Stream stream;
    DeviceBuffer<std::int64_t> values(count);
    fill_bytes(values.span(), 0, stream);
    return time_us(exchange, 200, [&](int) {
      exchange.sum_on_device(values.span(), stream);
      stream.synchronize();
    });
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  return time_us(exchange, 200, [&](int) { exchange.sum(values); });
}

struct Frames {
  Skeleton skeleton = make_human(1.75f);
  Motion motion;
  std::vector<std::vector<Vec3>> clouds;

  Frames(const Settings& s, int rank) : motion(make_walk(skeleton, {.frames = s.frames})) {
    place_in_view(skeleton, motion);
    for (std::int64_t i = 0; i < motion.size(); ++i) {
      RenderOptions options;
      options.points = s.points;
      options.seed = static_cast<std::uint64_t>(1000 * rank + i);
      clouds.push_back(render_points(skeleton.capsules(motion.pose(i)), options, 1));
    }
  }
};

struct FrameTime {
  double us = 0;
  std::uint64_t hash = 0xcbf29ce484222325u;  // of all poses
};

FrameTime time_frames(const Frames& frames, const FilterOptions& options, const Device& device,
                      bool with_points) {
  ParticleFilter filter(frames.skeleton, options, device);
  filter.start(frames.motion.pose(0));
  FrameTime time;
  const auto step = [&](int i) {
    const auto& cloud = frames.clouds[static_cast<std::size_t>(i)];
    const Estimate estimate = filter.step(with_points ? CloudView(cloud) : CloudView());
    for (const float x : estimate.pose) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &x, sizeof bits);
      time.hash = (time.hash ^ bits) * 0x100000001b3u;
    }
  };
  step(0);  // allocates
  time.us = time_us(*options.exchange, static_cast<int>(frames.clouds.size()), step);
  return time;
}

void run(const Settings& s) {
  std::shared_ptr<Exchange> exchange = launched_by_mpi() ? make_mpi_exchange() : make_single_exchange();
  const Device device = s.device == "cpu" ? Device::cpu(s.threads) : Device::parse(s.device);
  if (s.exchange == "nccl") exchange = make_nccl_exchange(exchange, device);
  FilterOptions options;
  options.samples = s.samples;
  options.max_points = std::max(s.points, 1024);
  options.exchange = exchange;
  options.split = s.split == "samples" ? FilterSplit::samples : FilterSplit::cameras;
  const Frames frames(s, s.split == "samples" ? 0 : exchange->rank());

  const FrameTime full = time_frames(frames, options, device, true),
                  empty = time_frames(frames, options, device, false);
  const double sum_us = time_sum_us(*exchange, s.samples + 1), small_us = time_sum_us(*exchange, 1);
  std::vector<Vec3> cloud(static_cast<std::size_t>(s.points));
  const double broadcast_us =
      time_us(*exchange, 50, [&](int) { exchange->broadcast(std::as_writable_bytes(std::span(cloud)), 0); });
  if (exchange->rank() != 0) return;
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(full.hash));
  const Json row = {{"ranks", exchange->size()},
                    {"split", s.split},
                    {"exchange", s.exchange},
                    {"device", device.describe()},
                    {"threads", device.is_cuda() ? 0 : s.threads},
                    {"samples", s.samples},
                    {"points", s.points},
                    {"layers", options.layers},
                    {"frame_us", full.us},
                    {"empty_frame_us", empty.us},
                    {"sum_us", sum_us},
                    {"small_sum_us", small_us},
                    {"broadcast_us", broadcast_us},
                    {"hash", hash}};
  std::printf("%s\n", row.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ranks_bench: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
