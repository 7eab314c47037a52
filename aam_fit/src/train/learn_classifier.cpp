#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fitter/face_classifier.hpp"
#include "fitter/face_search.hpp"
#include "train/cholesky.hpp"
#include "train/learn_classifier.hpp"
#include "train/pca.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::size_t max_faces = 256, max_searches = 32;
constexpr int candidates_per_search = 16;
constexpr std::int64_t scenes = 48;  // without faces, made for this
constexpr int scene_side = 192;      // pixels
constexpr std::uint64_t scene_seed = 29;
constexpr std::size_t max_floats = std::size_t{1} << 26;  // of textures
constexpr double min_search_size = 0.15;                  // of the image's height
constexpr double max_right = 0.1, min_wrong = 0.2;        // errors of fits that count as a face, and as none
constexpr int folds = 4;
constexpr Eigen::Index min_wrong_fits = 8;

struct Sample {
  std::vector<float> texture;
  bool is_face;
  int fold;
};

// Fits where the mean texture resembles an image most.
std::vector<Fit> best_fits(Fitter& fitter, ImageView<const Grey8> image) {
  const Model& model = fitter.model();
  const auto width = static_cast<double>(image.width()), height = static_cast<double>(image.height());
  const double min_px = std::max(min_search_px, min_search_size * height);
  if (!is_searchable(model, width, height, min_px)) return {};
  std::vector<Fit> fits;
  for (const Candidate& place :
       search_faces(model, image, min_px, std::min(width, height), candidates_per_search, 1)) {
    Fit fit = fitter.step({image, start_at(model, place), true});
    if (fit.found()) fits.push_back(std::move(fit));
  }
  return fits;
}

// The samples of one face and, with `search`, of what else is in its image.
std::vector<Sample> samples_of(Fitter& fitter, const Level& level, const TrainingFace& face,
                               std::size_t number, bool search, FaceTexture& textures) {
  const Model& model = fitter.model();
  const ImageView<const Grey8> image = face.image->view();
  std::vector<Sample> samples;
  const auto add = [&](const Shape& landmarks, bool is_face) {
    const std::span<const float> texture = textures.sample(level, image, landmarks);
    samples.push_back({{texture.begin(), texture.end()}, is_face, face.example % folds});
  };
  add(face.landmarks, true);
  const std::vector<Shape> starts = evaluation_starts(model.mean, face.landmarks);
  const Fit fit = fitter.step({image, starts[number % starts.size()], true});
  if (shape_error(fit.landmarks, face.landmarks) < max_right) add(fit.landmarks, true);

  if (!search) return samples;
  for (const Fit& other : best_fits(fitter, image))
    if (shape_error(other.landmarks, face.landmarks) > min_wrong) add(other.landmarks, false);
  return samples;
}

// Fits where there is no face, in a scene that is made for it.
std::vector<Sample> samples_of_scene(Fitter& fitter, const Level& level, std::int64_t number,
                                     FaceTexture& textures) {
  const Image<Grey8> scene = background_scene(scene_seed, number, scene_side, scene_side);
  std::vector<Sample> samples;
  for (const Fit& fit : best_fits(fitter, scene.view())) {
    const std::span<const float> texture = textures.sample(level, scene.view(), fit.landmarks);
    samples.push_back({{texture.begin(), texture.end()}, false, static_cast<int>(number % folds)});
  }
  return samples;
}

std::vector<Sample> make_samples(const Model& model, const Level& level, std::span<const TrainingFace> faces,
                                 const Execution& run) {
  const auto samples = static_cast<std::size_t>(level.samples());
  const std::size_t count = std::min({faces.size(), max_faces, 1 + max_floats / (5 * samples)});
  const std::size_t searches = std::min(count, max_searches);
  std::vector<std::vector<Sample>> made(count);
  run.chunks(static_cast<std::int64_t>(count), 8, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    Fitter fitter(model, {.min_confidence = 0}, Device::cpu(1));
    FaceTexture textures;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      run.check();
      // The searches are spread evenly over the faces.
      const bool search = (i + 1) * searches / count > i * searches / count;
      made[i] = samples_of(fitter, level, faces[i * faces.size() / count], i, search, textures);
    }
  });
  made.resize(count + static_cast<std::size_t>(scenes));
  run.chunks(scenes, 4, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    Fitter fitter(model, {.min_confidence = 0}, Device::cpu(1));
    FaceTexture textures;
    for (std::int64_t i = first; i < last; ++i) {
      run.check();
      made[count + static_cast<std::size_t>(i)] = samples_of_scene(fitter, level, i, textures);
    }
  });
  std::vector<Sample> all;
  for (std::vector<Sample>& of_face : made)
    std::move(of_face.begin(), of_face.end(), std::back_inserter(all));
  return all;
}

// Of the samples outside a fold (of all, for -1), for the regression to +1 and -1.
Eigen::VectorXf coefficients(const Eigen::MatrixXf& products, const std::vector<Sample>& samples, int fold,
                             const Execution& run) {
  std::vector<Eigen::Index> kept;
  Eigen::Index kept_faces = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].fold == fold) continue;
    kept.push_back(static_cast<Eigen::Index>(i));
    kept_faces += samples[i].is_face ? 1 : 0;
  }
  const auto count = static_cast<Eigen::Index>(kept.size());
  Eigen::VectorXf root(count);  // of each sample's weight: both kinds have half of all
  for (Eigen::Index i = 0; i < count; ++i) {
    const bool is_face = samples[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])].is_face;
    const Eigen::Index of_kind = is_face ? kept_faces : count - kept_faces;
    root[i] =
        std::sqrt(0.5f * static_cast<float>(count) / static_cast<float>(std::max<Eigen::Index>(1, of_kind)));
  }
  Eigen::MatrixXf weighted = products(kept, kept);
  weighted = root.asDiagonal() * weighted * root.asDiagonal();
  weighted.diagonal().array() += weighted.diagonal().mean();  // the ridge
  Eigen::MatrixXf solution = root;
  for (Eigen::Index i = 0; i < count; ++i)
    if (!samples[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])].is_face)
      solution(i, 0) = -root[i];
  solve_positive_definite(weighted, solution, run);
  Eigen::VectorXf all = Eigen::VectorXf::Zero(products.rows());
  for (Eigen::Index i = 0; i < count; ++i) all[kept[static_cast<std::size_t>(i)]] = root[i] * solution(i, 0);
  return all;
}

}  // namespace

FaceClassifier learn_classifier(const Model& model, int level_number, std::span<const TrainingFace> faces,
                                const Execution& run) {
  const Level& level = model.levels[static_cast<std::size_t>(level_number)];
  const std::vector<Sample> samples = make_samples(model, level, faces, run);
  const auto wrong = static_cast<Eigen::Index>(
      std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return !s.is_face; }));
  const auto count = static_cast<Eigen::Index>(samples.size());
  if (wrong < min_wrong_fits || wrong == count) return {};

  // Relative to the mean of both kinds' means, so that no constant is needed.
  Rows textures(count, level.samples());
  Eigen::VectorXd middle = Eigen::VectorXd::Zero(textures.cols());
  for (Eigen::Index i = 0; i < count; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    textures.row(i) = Eigen::Map<const Eigen::RowVectorXf>(sample.texture.data(), textures.cols());
    middle += textures.row(i).transpose().cast<double>() *
              (0.5 / static_cast<double>(sample.is_face ? count - wrong : wrong));
  }
  textures.rowwise() -= middle.cast<float>().transpose();
  const Eigen::MatrixXf products = gram(textures, run);

  double sum = 0, squares = 0;
  for (int fold = 0; fold < folds; ++fold) {
    const Eigen::VectorXf scores = products * coefficients(products, samples, fold, run);
    for (Eigen::Index i = 0; i < count; ++i) {
      const Sample& sample = samples[static_cast<std::size_t>(i)];
      if (sample.is_face || sample.fold != fold) continue;
      sum += double{scores[i]};
      squares += double{scores[i]} * double{scores[i]};
    }
  }
  const double mean = sum / static_cast<double>(wrong);
  const double deviation = std::sqrt(squares / static_cast<double>(wrong) - mean * mean);
  const Eigen::VectorXd weights =
      (textures.transpose() * coefficients(products, samples, -1, run)).cast<double>() / deviation;
  const double offset = weights.dot(middle) + mean / deviation;
  if (!(deviation > 0) || !weights.allFinite() || !std::isfinite(offset)) return {};
  std::vector<float> stored(static_cast<std::size_t>(weights.size()));
  Eigen::Map<Eigen::VectorXf>(stored.data(), weights.size()) = weights.cast<float>();
  return {level_number, std::move(stored), offset};
}

}  // namespace triptych::aam_fit
