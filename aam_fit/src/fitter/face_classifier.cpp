#include <algorithm>
#include <cmath>

#include "crop/prepare_math.hpp"
#include "fit/fit_math.hpp"
#include "fitter/face_classifier.hpp"
#include "warp/warp.hpp"

namespace triptych::aam_fit {

std::span<const float> FaceTexture::sample(const Level& level, ImageView<const Grey8> image,
                                           std::span<const Point> landmarks) {
  texture_.assign(static_cast<std::size_t>(level.samples()), 0.0f);
  const Crop crop = crop_around(level, landmarks, later_crop_margin);
  if (!is_within_reach(crop, image.width(), image.height())) return texture_;
  prepare_cpu(image, crop, level.features, planes_, scratch_, 1);
  shape_.clear();
  for (const Point& landmark : landmarks) {
    const Point p = to_crop(crop, landmark);
    shape_.push_back(static_cast<float>(p.x));
    shape_.push_back(static_cast<float>(p.y));
  }
  warp_cpu(planes_.view(), level.frame, shape_, texture_);
  double sum = 0, squares = 0;
  for (const float x : texture_) {
    sum += double{x};
    squares += double{x} * double{x};
  }
  const double mean = sum / static_cast<double>(texture_.size());
  const double spread = squares - sum * mean;
  const bool is_flat = !has_contrast(1.0, spread, squares, spread);
  const double scale = is_flat ? 0 : 1 / std::sqrt(spread);
  for (float& x : texture_) x = static_cast<float>((double{x} - mean) * scale);
  return texture_;
}

const Level& classified_level(const Model& model) {
  return model.levels[static_cast<std::size_t>(model.face_classifier.level)];
}

double score_at(const Model& model, ImageView<const Grey8> image, std::span<const Point> landmarks,
                FaceTexture& textures) {
  const FaceClassifier& classifier = model.face_classifier;
  if (!classifier.known()) return 0;
  const std::span<const float> texture = textures.sample(classified_level(model), image, landmarks);
  double sum = -classifier.offset;
  for (std::size_t i = 0; i < texture.size(); ++i)
    sum += double{classifier.weights[static_cast<std::int64_t>(i)]} * double{texture[i]};
  return sum;
}

}  // namespace triptych::aam_fit
