#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <opencv2/core.hpp>
#include <opencv2/face.hpp>

#include <algorithm>
#include <map>
#include <string>

#include "peers/aam_facemark.hpp"

namespace triptych::bench {
namespace {

using aam_fit::Shape;
using cv::face::FacemarkAAM;

std::vector<cv::Point2f> to_cv(const Shape& shape) {
  std::vector<cv::Point2f> points;
  points.reserve(shape.size());
  for (const aam_fit::Point& p : shape) points.emplace_back(static_cast<float>(p.x), static_cast<float>(p.y));
  return points;
}

Shape from_cv(const std::vector<cv::Point2f>& points) {
  Shape shape;
  shape.reserve(points.size());
  for (const cv::Point2f& p : points) shape.push_back({double{p.x}, double{p.y}});
  return shape;
}

}  // namespace

class Facemark::Impl {
 public:
  Impl(std::span<const aam_fit::Example> examples, const FacemarkOptions& options,
       const std::filesystem::path& folder)
      : options_(options), file_((folder / "facemark_aam.yml").string()) {
    FacemarkAAM::Params params = parameters(1);
    params.model_filename = file_;
    params.save_model = true;
    params.max_n = options.shape_modes;
    params.max_m = params.texture_max_m = options.texture_modes;
    const cv::Ptr<FacemarkAAM> trained = FacemarkAAM::create(params);
    for (const aam_fit::Example& example : examples) {
      std::vector<cv::Point2f> landmarks = to_cv(example.landmarks);
      trained->addTrainingSample(to_mat(example.image), landmarks);
    }
    trained->training();
    FacemarkAAM::Data data;
    trained->getData(&data);
    mean_ = from_cv(data.s0);
    const cv::FileStorage file(file_, cv::FileStorage::READ);
    cv::Mat modes;
    file["S"] >> modes;
    shape_modes_ = std::min(modes.cols, options.shape_modes);
    for (std::size_t k = 0; k < options.scales.size(); ++k) {
      std::vector<int> places;
      file["scale" + std::to_string(k) + "_ind1"] >> places;
      file["scale" + std::to_string(k) + "_A"] >> modes;
      pixels_.push_back(static_cast<std::int64_t>(places.size()));
      texture_modes_.push_back(std::min(modes.cols, options.texture_modes));
    }
  }

  const Shape& mean() const { return mean_; }
  std::int64_t pixels(int scale) const { return pixels_.at(static_cast<std::size_t>(scale)); }
  int texture_modes(int scale) const { return texture_modes_.at(static_cast<std::size_t>(scale)); }
  int shape_modes() const { return shape_modes_; }

  Shape fit(const Image<Grey8>& image, const Shape& start, int scale, int iterations) {
    cv::Ptr<FacemarkAAM>& facemark = by_iterations_[iterations];
    if (!facemark) {
      facemark = FacemarkAAM::create(parameters(iterations));
      facemark->loadModel(file_);
    }
    const double factor = aam_fit::face_size(start) / aam_fit::face_size(mean_);
    const cv::Point2f shift(static_cast<float>(start[0].x - factor * mean_[0].x),
                            static_cast<float>(start[0].y - factor * mean_[0].y));
    const std::vector<FacemarkAAM::Config> configs{
        FacemarkAAM::Config(cv::Mat::eye(2, 2, CV_32F), shift, static_cast<float>(factor), scale)};
    const std::vector<cv::Rect> faces{
        cv::Rect(0, 0, static_cast<int>(image.width), static_cast<int>(image.height))};
    std::vector<std::vector<cv::Point2f>> found;
    try {
      if (!facemark->fitConfig(mat_view(image.view()), faces, found, configs) || found.empty()) return start;
    } catch (const cv::Exception&) {
      return start;
    }
    return from_cv(found[0]);
  }

 private:
  FacemarkAAM::Params parameters(int iterations) const {
    FacemarkAAM::Params params;
    params.n = options_.shape_modes;
    params.m = options_.texture_modes;
    params.n_iter = iterations;
    params.scales = options_.scales;
    params.verbose = params.save_model = false;
    return params;
  }

  FacemarkOptions options_;
  std::string file_;
  std::map<int, cv::Ptr<FacemarkAAM>> by_iterations_;
  Shape mean_;
  int shape_modes_ = 0;
  std::vector<std::int64_t> pixels_;
  std::vector<int> texture_modes_;
};

Facemark::Facemark(std::span<const aam_fit::Example> examples, const FacemarkOptions& options,
                   const std::filesystem::path& folder)
    : impl_(std::make_unique<Impl>(examples, options, folder)) {}
Facemark::Facemark(Facemark&&) noexcept = default;
Facemark& Facemark::operator=(Facemark&&) noexcept = default;
Facemark::~Facemark() = default;

const Shape& Facemark::mean() const { return impl_->mean(); }
std::int64_t Facemark::pixels(int scale) const { return impl_->pixels(scale); }
int Facemark::texture_modes(int scale) const { return impl_->texture_modes(scale); }
int Facemark::shape_modes() const { return impl_->shape_modes(); }
Shape Facemark::fit(const Image<Grey8>& image, const Shape& start, int scale, int iterations) {
  return impl_->fit(image, start, scale, iterations);
}

}  // namespace triptych::bench
