// The model that ships: where it is looked for, and that its training gives the same bytes again.
#include <triptych/aam_fit/default_model.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

namespace fs = std::filesystem;

// The environment variable, set for the life of the object.
class Named {
 public:
  explicit Named(const std::string& path) { setenv("TRIPTYCH_FACE_MODEL", path.c_str(), 1); }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
  ~Named() { unsetenv("TRIPTYCH_FACE_MODEL"); }
};

std::vector<Example> few_faces() {
  std::vector<Example> faces;
  constexpr int count = 12;
  faces.reserve(count);
  for (int i = 0; i < count; ++i) faces.push_back(render_face(varied_face(1, i), 256, 256));
  return faces;
}

TEST(DefaultModel, its_training_gives_the_same_bytes_again) {
  TrainOptions options = default_model_options();
  const std::string once = encode_model(train(few_faces(), options));
  options.threads = 1;
  EXPECT_EQ(encode_model(train(few_faces(), options)), once);
  options.seed = 2;
  EXPECT_NE(encode_model(train(few_faces(), options)), once);
}

TEST(DefaultModel, the_environment_names_it) {
  const fs::path file = fs::path(testing::TempDir()) / "triptych_default_model_test.aam";
  const Model model = train(few_faces(), default_model_options());
  save_model(file, model);
  {
    const Named named(file.string());
    EXPECT_EQ(default_model_path(), file);
    EXPECT_EQ(load_default_model().mean, model.mean);
    EXPECT_EQ(load_default_model().points, 68);
  }
  fs::remove(file);
  const Named named(file.string());
  EXPECT_ERROR(default_model_path(), Error, "TRIPTYCH_FACE_MODEL");
}

TEST(DefaultModel, without_a_name_it_is_a_file_or_a_sentence) {
  const Named named("");
  try {
    EXPECT_TRUE(fs::is_regular_file(default_model_path()));
  } catch (const Unavailable& problem) {
    EXPECT_NE(std::string(problem.what()).find("face_model"), std::string::npos);
  }
}

}  // namespace
}  // namespace triptych::aam_fit
