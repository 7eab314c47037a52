#include <gtest/gtest.h>

#include "report/name.hpp"
#include "testing/random.hpp"

namespace triptych::report {
namespace {

TEST(Name, ReadsArrays) {
  const Name name = parse_name("sum/float/grid_stride_shared_x2/rotating/1048576");
  EXPECT_EQ(name.kind, Kind::array);
  EXPECT_EQ(name.group, "sum");
  EXPECT_EQ(name.type, "float");
  EXPECT_EQ(name.series, "grid_stride_shared_x2");
  EXPECT_EQ(name.mode, "rotating");
  EXPECT_EQ(name.size, (Size{0, 1048576}));
  EXPECT_EQ(to_string(name.size), "2^20");
  EXPECT_EQ(parse_name("sum_cpu/double/simd/memory/1000003").kind, Kind::array);
  EXPECT_EQ(parse_name("argmin/int64/cub_device/resident/1").kind, Kind::array);
}

TEST(Name, ReadsMatrices) {
  const Name name = parse_name("multiply/float/peer_cublas/resident/48x4096");
  EXPECT_EQ(name.kind, Kind::matrix);
  EXPECT_EQ(name.series, "peer_cublas");
  EXPECT_EQ(name.size, (Size{48, 4096}));
  EXPECT_EQ(to_string(name.size), "48 x 2^12");
}

TEST(Name, ReadsSkin) {
  const Name name = parse_name("skin/nv12/tracker_cuda/pinned/1920x1080/iterations:1/manual_time");
  EXPECT_EQ(name.kind, Kind::skin);
  EXPECT_EQ(name.text, "skin/nv12/tracker_cuda/pinned/1920x1080");
  EXPECT_EQ(name.type, "nv12");
  EXPECT_EQ(name.series, "tracker_cuda");
  EXPECT_EQ(name.mode, "pinned");
  EXPECT_EQ(name.size, (Size{1080, 1920}));
  EXPECT_EQ(name.threads, 0);
  EXPECT_EQ(parse_name("skin/rgba/peer_torch_compiled/resident").kind, Kind::skin);
  EXPECT_EQ(parse_name("skin/rgba/peer_torch_compiled/resident").size, Size{});
}

TEST(Name, TheThreadsOfASkinPeerStay) {
  const Name name = parse_name("skin/rgba/peer_opencv/clip by numpy/threads:16");
  EXPECT_EQ(name.kind, Kind::skin);
  EXPECT_EQ(name.text, "skin/rgba/peer_opencv/clip by numpy/threads:16");
  EXPECT_EQ(name.mode, "clip by numpy");
  EXPECT_EQ(name.threads, 16);
  EXPECT_EQ(parse_name("sum/float/simd/memory/1024/threads:16").text, "sum/float/simd/memory/1024");
}

TEST(Name, ReadsLimits) {
  const Name name = parse_name("limit/read/cpu_1");
  EXPECT_EQ(name.kind, Kind::limit);
  EXPECT_EQ(name.type, "read");
  EXPECT_EQ(name.series, "cpu_1");
}

TEST(Name, DropsWhatGoogleBenchmarkAppends) {
  EXPECT_EQ(parse_name("limit/launch/gpu/iterations:1/manual_time").text, "limit/launch/gpu");
  EXPECT_EQ(parse_name("sum/float/automatic/resident/1024/manual_time").size.cols, 1024);
  EXPECT_EQ(parse_name("manual_time").text, "manual_time");
}

TEST(Name, TheRestIsOther) {
  for (const char* text : {"",
                           "/",
                           "sum",
                           "sum/float/automatic/resident",
                           "sum/float/automatic/resident/x",
                           "sum/float/automatic/resident/0",
                           "sum/float/automatic/resident/-4",
                           "sum/float/automatic/resident/99999999999999999999",
                           "sum/float//resident/1024",
                           "sum/float/automatic/resident/1024/more",
                           "multiply/float/plan/resident/1024",
                           "multiply/float/plan/resident/4x",
                           "multiply/float/plan/resident/4x4x4",
                           "skin/float/automatic/resident/1024",
                           "skin/rgba/fast",
                           "skin/rgba//total/1920x1080",
                           "skin/rgba/fast/total/1920x0",
                           "skin/rgba/fast/total/1920x1080/more",
                           "skin/rgba/peer_opencv/x/threads:",
                           "skin/rgba/peer_opencv/x/threads:-1",
                           "limit/read"}) {
    const Name name = parse_name(text);
    EXPECT_EQ(name.kind, Kind::other) << text;
    EXPECT_EQ(name.text, text);
  }
  EXPECT_EQ(parse_name("skin/locate").group, "skin");
}

TEST(Name, RandomBytesAreNoProblem) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    const std::string text = triptych::test::random_text(static_cast<std::int64_t>(seed % 40), seed);
    EXPECT_LE(parse_name(text).text.size(), text.size());
    EXPECT_EQ(parse_name("sum/" + text + "/\xff/x/16").group, "sum");
  }
}

}  // namespace
}  // namespace triptych::report
