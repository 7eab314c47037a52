// Training that is stopped, by its stop token or by an exception of its progress, and what it leaves behind.
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/train.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "aam_fit/small_examples.hpp"
#include "train/cholesky.hpp"
#include "train/pca.hpp"

namespace triptych::aam_fit {
namespace {

TrainOptions options_of(Update update) {
  TrainOptions options = test::small_training();
  options.update = update;
  options.parameters = Parameters::combined;
  options.levels = {{.pixels = 64}, {.pixels = 100, .stages = 2}};
  options.appearance_pixels = 64;
  options.face_classifier = true;
  options.threads = 2;
  return options;
}

std::vector<std::string> stages_of(const TrainOptions& options) {
  std::vector<std::string> stages;
  train(test::small_examples(), options,
        [&](const std::string& stage, std::int64_t, std::int64_t) { stages.push_back(stage); });
  return stages;
}

TEST(StopTraining, AtEveryStageByTheToken) {
  for (const Update update : {Update::displaced, Update::regression}) {
    const TrainOptions options = options_of(update);
    for (const std::string& last : stages_of(options)) {
      if (last == "done") continue;
      std::stop_source source;
      std::string at;
      const auto stop_at_last = [&](const std::string& stage, std::int64_t, std::int64_t) {
        at = stage;
        if (stage == last) source.request_stop();
      };
      const auto stopped = [&] { train(test::small_examples(), options, stop_at_last, source.get_token()); };
      EXPECT_THROW(stopped(), TrainingStopped) << last;
      EXPECT_EQ(at, last);
    }
  }
}

TEST(StopTraining, AtEveryStageByAnExceptionOfTheProgress) {
  const TrainOptions options = options_of(Update::regression);
  const auto caller = std::this_thread::get_id();
  for (const std::string& last : stages_of(options)) {
    const auto throw_at_last = [&](const std::string& stage, std::int64_t, std::int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      if (stage == last) throw std::out_of_range(stage);
    };
    EXPECT_THROW(train(test::small_examples(), options, throw_at_last), std::out_of_range) << last;
  }
}

TEST(StopTraining, ATokenThatIsNotUsedChangesNoBit) {
  const std::stop_source source;
  for (const Update update : {Update::displaced, Update::regression}) {
    const TrainOptions options = options_of(update);
    EXPECT_EQ(encode_model(train(test::small_examples(), options, {}, source.get_token())),
              encode_model(train(test::small_examples(), options)));
  }
}

TEST(StopTraining, EveryLoopStopsOnAnyThread) {
  std::stop_source source;
  const Rows rows = Rows::Random(300, 400);
  const Eigen::MatrixXf square = Eigen::MatrixXf::Identity(300, 300);
  source.request_stop();
  for (const int threads : {1, 3}) {
    const Execution run(threads, source.get_token());
    EXPECT_THROW(gram(rows, run), TrainingStopped);
    EXPECT_THROW(times(rows, rows.transpose(), run), TrainingStopped);
    EXPECT_THROW(transposed_times(rows, rows, run), TrainingStopped);
    EXPECT_THROW(pca(rows, {}, run), TrainingStopped);
    Eigen::MatrixXf a = square, b = square;
    EXPECT_THROW(solve_positive_definite(a, b, run), TrainingStopped);
  }
}

TEST(StopTraining, ComponentsOfManyRowsAreTheSameWithAToken) {
  const Rows rows = Rows::Random(530, 40);  // more rows than the solver takes on the calling thread
  const std::stop_source source;
  const Pca direct = pca(rows, {1, 5}, 1), stoppable = pca(rows, {1, 5}, {1, source.get_token()});
  EXPECT_EQ(direct.modes, stoppable.modes);
  EXPECT_EQ(direct.sigma, stoppable.sigma);
}

TEST(StopTraining, ALongEigenvalueProblemIsLeftAlone) {
  const Rows rows = Rows::Random(1600, 1600);  // seconds
  std::stop_source source;
  std::atomic<bool> stopped = false;
  std::chrono::steady_clock::time_point requested;
  std::thread requests([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    requested = std::chrono::steady_clock::now();
    source.request_stop();
  });
  try {
    pca(rows, {}, {1, source.get_token()});
  } catch (const TrainingStopped&) {
    stopped = true;
  }
  const auto returned = std::chrono::steady_clock::now();
  requests.join();
  EXPECT_TRUE(stopped);
  EXPECT_LT(std::chrono::duration<double>(returned - requested).count(), 1.0);
}

}  // namespace
}  // namespace triptych::aam_fit
