// A body that walks between calibrated cameras, followed from what all of them see. Alone, the program takes
// all cameras and compares with the first one: by one filter on a CPU, by a thread for each camera on a GPU.
// Under mpirun each rank has its own camera. The poses have the same bits.
#include <triptych/capsule_likelihood/cameras_file.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/mpi_exchange.hpp>
#include <triptych/core/nccl_exchange.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

using namespace triptych;
using namespace triptych::capsule_likelihood;

namespace {

constexpr const char* usage =
    "Usage: camera_room CAMERAS.json [options]\n"
    "A synthetic body walks between calibrated cameras and is followed from what all of them see. Prints "
    "the\n"
    "error of the joints with the first camera alone and with all, and a hash of all poses, which does not\n"
    "depend on how many processes share the work.\n\n"
    "  camera_room cameras.json                          all cameras in this process\n"
    "  mpirun -n 4 camera_room cameras.json --threads 1  a camera per process: the same hash\n\n"
    "  --frames N     of the walk [default: 30]\n"
    "  --points N     per camera and frame [default: 4000]\n"
    "  --samples N    of the filter [default: 1000]\n"
    "  --device NAME  best, cpu, cuda or cuda:1 [default: best]; on a GPU each camera has its own filter\n"
    "  --threads N    of the CPU, which it then uses [default: all cores]\n"
    "  --exchange X   mpi, or nccl with a GPU for each process [default: mpi]\n";

struct Settings {
  std::string cameras, device = "best", exchange = "mpi";
  int frames = 30, points = 4000, samples = 1000, threads = 0;
};

int number(const std::string& text, const std::string& option) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  require(!text.empty() && *end == '\0' && value >= 1 && value <= 10000000, option,
          " takes a number from 1 to 10000000, not '", text, "'");
  return static_cast<int>(value);
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      s.cameras = name;
      continue;
    }
    require(i + 1 < argc, name, " needs a value; see --help");
    const std::string value = argv[++i];
    if (name == "--frames") {
      s.frames = number(value, name);
    } else if (name == "--points") {
      s.points = number(value, name);
    } else if (name == "--samples") {
      s.samples = number(value, name);
    } else if (name == "--threads") {
      s.threads = number(value, name);
    } else if (name == "--device") {
      s.device = value;
    } else if (name == "--exchange") {
      require(value == "mpi" || value == "nccl", "--exchange takes mpi or nccl, not '", value, "'");
      s.exchange = value;
    } else {
      require(false, "there is no option ", name, "; see --help");
    }
  }
  require(!s.cameras.empty(), "a calibration file is needed; see --help");
  return s;
}

// The walk, and what each camera sees of it.
class Room {
 public:
  Room(const Settings& settings, std::vector<CalibratedCamera> cameras)
      : settings_(settings),
        cameras_(std::move(cameras)),
        motion_(make_walk(skeleton_, {.frames = settings.frames})) {
    place_in_view(skeleton_, motion_);
  }

  std::size_t size() const { return cameras_.size(); }
  const CalibratedCamera& camera(std::size_t i) const { return cameras_[i]; }
  const Skeleton& skeleton() const { return skeleton_; }
  const Motion& motion() const { return motion_; }

  std::vector<Vec3> cloud(std::size_t camera, std::int64_t frame) const {
    std::vector<Capsule> body = skeleton_.capsules(motion_.pose(frame));
    for (Capsule& capsule : body) {
      capsule.a = transform(cameras_[camera].camera_from_world, capsule.a);
      capsule.b = transform(cameras_[camera].camera_from_world, capsule.b);
    }
    RenderOptions options;
    options.points = settings_.points;
    options.outliers = 0.1f;
    options.seed = 1000 * static_cast<std::uint64_t>(camera) + static_cast<std::uint64_t>(frame);
    return render_points(body, options, settings_.threads);
  }

 private:
  Settings settings_;
  std::vector<CalibratedCamera> cameras_;
  Skeleton skeleton_ = make_human(1.75f);
  Motion motion_;
};

struct Score {
  double mean_mm = 0, worst_joint_mm = 0, seen = 0, ms = 0;
  std::uint64_t hash = 0xcbf29ce484222325u;  // of all poses
};

void add_frame(Score& score, const Estimate& estimate, const std::vector<Vec3>& truth, double frames) {
  double sum = 0, worst = 0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    const Vec3 &a = estimate.joints[j], &b = truth[j];
    const double error =
        std::hypot(double{a.x} - double{b.x}, double{a.y} - double{b.y}, double{a.z} - double{b.z});
    sum += error;
    worst = std::max(worst, error);
  }
  score.mean_mm += 1000 * sum / static_cast<double>(truth.size()) / frames;
  score.worst_joint_mm += 1000 * worst / frames;
  score.seen += estimate.evidence.body_seen / frames;
  score.ms += estimate.latency_us / 1000 / frames;
  for (const float x : estimate.pose) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    score.hash = (score.hash ^ bits) * 0x100000001b3u;
  }
}

// Follows the walk with cameras first .. last - 1 here, and those of the other ranks.
Score follow(const Room& room, const Settings& settings, const Device& device, std::size_t first,
             std::size_t last, const std::shared_ptr<Exchange>& exchange) {
  FilterOptions options;
  options.samples = settings.samples;
  options.max_points = std::max(settings.points, 1024);
  for (std::size_t i = first; i < last; ++i) options.cameras.push_back(room.camera(i).camera_from_world);
  options.exchange = exchange;
  options.split = FilterSplit::cameras;
  ParticleFilter filter(room.skeleton(), options, device);
  filter.start(room.motion().pose(0));
  Score score;
  for (std::int64_t frame = 0; frame < room.motion().size(); ++frame) {
    std::vector<std::vector<Vec3>> clouds;
    for (std::size_t i = first; i < last; ++i) clouds.push_back(room.cloud(i, frame));
    const std::vector<CloudView> views(clouds.begin(), clouds.end());
    add_frame(score, filter.step_cameras(views), room.skeleton().joints(room.motion().pose(frame)),
              static_cast<double>(room.motion().size()));
  }
  return score;
}

// Follows the walk with a filter and a thread for each camera, all on one GPU.
Score follow_in_threads(const Room& room, const Settings& settings, const Device& device) {
  const auto exchanges = make_thread_exchanges(static_cast<int>(room.size()));
  std::vector<Score> scores(room.size());
  std::vector<std::exception_ptr> failures(room.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < room.size(); ++i)
      threads.emplace_back([&, i] {
        try {
          scores[i] = follow(room, settings, device, i, i + 1, exchanges[i]);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return scores[0];
}

void print(std::size_t cameras, const Score& score) {
  std::printf(
      "%zu camera%s: mean error %.1f mm, worst joint %.1f mm, %.0f %% of the body seen, %.1f ms per frame, "
      "hash of all poses %016llx\n",
      cameras, cameras == 1 ? "" : "s", score.mean_mm, score.worst_joint_mm, 100 * score.seen, score.ms,
      static_cast<unsigned long long>(score.hash));
}

void run(const Settings& settings) {
  std::shared_ptr<Exchange> exchange = launched_by_mpi() ? make_mpi_exchange() : make_single_exchange();
  const Device device = settings.device == "cpu" || settings.threads > 0 ? Device::cpu(settings.threads)
                                                                         : Device::parse(settings.device);
  if (settings.exchange == "nccl") exchange = make_nccl_exchange(exchange, device);
  const Room room(settings, read_cameras(settings.cameras));
  const std::size_t ranks = static_cast<std::size_t>(exchange->size()),
                    rank = static_cast<std::size_t>(exchange->rank());
  // On a GPU a filter takes one camera.
  const bool in_threads = device.is_cuda() && ranks == 1 && settings.exchange == "mpi";
  const std::size_t count = device.is_cuda() && !in_threads ? std::min(ranks, room.size()) : room.size();
  require(ranks <= count, "there are ", ranks, " ranks but ", room.size(), " cameras");
  const bool prints = exchange->rank() == 0;
  if (prints)
    std::printf("%d frames, %d points per camera, %d samples, %zu rank%s, on %s\n", settings.frames,
                settings.points, settings.samples, ranks, ranks == 1 ? "" : "s", device.describe().c_str());
  const Score all =
      in_threads ? follow_in_threads(room, settings, device)
                 : follow(room, settings, device, count * rank / ranks, count * (rank + 1) / ranks, exchange);
  if (!prints) return;
  if (count > 1) print(1, follow(room, settings, device, 0, 1, nullptr));
  print(count, all);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
      std::printf("%s", usage);
      return EXIT_SUCCESS;
    }
    run(parse(argc, argv));
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "camera_room: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
