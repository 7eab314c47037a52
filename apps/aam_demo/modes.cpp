// aam_demo modes.
#include <triptych/aam_fit/appearance.hpp>
#include <triptych/aam_fit/model_file.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/opencv.hpp>

#include <common/draw.hpp>
#include <common/outputs.hpp>
#include <common/picture_file.hpp>
#include <common/program.hpp>
#include <common/text.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands.hpp"
#include "faces.hpp"
#include "modes.hpp"
#include "painter.hpp"

namespace triptych::aam_demo {

using namespace aam_fit;
namespace colours = apps::colours;

namespace {

// What is shown: the grey appearance, or the finest level's texture where there is none.
const Level& shown_level(const Model& model) {
  return has_appearance(model) ? model.appearance : model.levels.back();
}
Image<Grey8> shown_texture(const Fitter& fitter, const std::vector<float>& c) {
  if (has_appearance(fitter.model())) return appearance_picture(fitter.model(), c);
  Fit fit;
  fit.parameters = c;
  fit.parameters.resize(c.size() + 4, 0.0F);
  return fitter.texture(fit);
}

// The affine map from pixels of a level's raster to coordinates of its mean shape, by least squares.
cv::Matx23d shape_from_raster(const Level& level) {
  cv::Matx33d products = cv::Matx33d::zeros();
  cv::Matx32d sums = cv::Matx32d::zeros();
  const std::int64_t stride = std::max<std::int64_t>(1, level.pixels() / 500);
  for (std::int64_t i = 0; i < level.pixels(); i += stride) {
    const WarpPixel& p = level.frame.pixels[i];
    const float weights[3] = {p.a, p.b, 1 - p.a - p.b};
    cv::Vec2d at(0, 0);
    for (int k = 0; k < 3; ++k) {
      for (int axis = 0; axis < 2; ++axis) at[axis] += double{weights[k]} * level.s0[2 * p.corners[k] + axis];
    }
    const int place = level.frame.raster_indices[i], row = place / level.frame.width;
    const cv::Vec3d from(place - row * level.frame.width, row, 1);
    products += from * from.t();
    sums += from * at.t();
  }
  return (products.inv(cv::DECOMP_SVD) * sums).t();
}

// Fills a triangle with what a picture shows in another.
void draw_triangle(const cv::Mat& source, const cv::Point2f (&from)[3], cv::Mat& target,
                   const cv::Point2f (&to)[3]) {
  const cv::Rect box =
      cv::boundingRect(std::vector<cv::Point2f>(to, to + 3)) & cv::Rect({0, 0}, target.size());
  if (box.empty()) return;
  const cv::Matx23d target_from_source = cv::getAffineTransform(from, to);
  cv::Mat warped;
  cv::Matx23d shifted = target_from_source;
  shifted(0, 2) -= box.x;
  shifted(1, 2) -= box.y;
  cv::warpAffine(source, warped, shifted, box.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  cv::Mat mask(box.size(), CV_8U, cv::Scalar(0));
  std::vector<cv::Point> corners;
  corners.reserve(3);
  for (const cv::Point2f& p : to) {
    corners.emplace_back(static_cast<int>(std::lround(16 * (p.x - static_cast<float>(box.x)))),
                         static_cast<int>(std::lround(16 * (p.y - static_cast<float>(box.y)))));
  }
  cv::fillConvexPoly(mask, corners, cv::Scalar(255), cv::LINE_8, 4);
  warped.copyTo(target(box), mask);
}

}  // namespace

cv::Mat draw_mode(const Fitter& fitter, int mode, double sigmas, int size_px) {
  const Model& model = fitter.model();
  const Level& level = shown_level(model);
  std::vector<float> c(static_cast<std::size_t>(level.modes), 0.0F);
  if (mode < level.modes) c[static_cast<std::size_t>(mode)] = static_cast<float>(sigmas) * level.sigma[mode];
  const Image<Grey8> texture = shown_texture(fitter, c);
  const cv::Matx23d from_raster = shape_from_raster(level);
  cv::Matx23d to_raster;
  cv::invertAffineTransform(from_raster, to_raster);

  const double zoom = 0.72 * size_px / level.face_size_px;
  const auto points = static_cast<std::size_t>(level.points);
  std::vector<cv::Point2f> from(points), to(points);
  for (std::size_t i = 0; i < points; ++i) {
    double at[2], mean[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto row = static_cast<std::int64_t>(2 * i + axis);
      mean[axis] = level.s0[row];
      at[axis] = mean[axis];
      for (std::int64_t m = 0; m < level.modes; ++m) {
        at[axis] += double{level.Qs[row * level.modes + m]} * c[static_cast<std::size_t>(m)];
      }
    }
    const cv::Vec2d raster = to_raster * cv::Vec3d(mean[0], mean[1], 1);
    from[i] = {static_cast<float>(raster[0]), static_cast<float>(raster[1])};
    to[i] = {static_cast<float>(size_px / 2.0 + zoom * at[0]),
             static_cast<float>(size_px / 2.0 + zoom * at[1])};
  }
  cv::Mat grey(size_px, size_px, CV_8U, cv::Scalar(28));
  for (const Triangle& t : model.triangles) {
    cv::Point2f source[3], target[3];
    for (std::size_t k = 0; k < 3; ++k) {
      source[k] = from[static_cast<std::size_t>(t[k])];
      target[k] = to[static_cast<std::size_t>(t[k])];
    }
    draw_triangle(mat_view(texture.view()), source, grey, target);
  }
  cv::Mat picture, over;
  cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  over = picture.clone();
  for (const auto& [a, b] : edges_of(model.triangles)) apps::draw_line(over, to[a], to[b], colours::cool);
  cv::addWeighted(over, 0.25, picture, 0.75, 0, picture);
  for (const cv::Point2f& p : to) apps::draw_ellipse(picture, p, {1.2, 1.2}, 0, colours::accent, cv::FILLED);
  return picture;
}

cv::Mat draw_mode_sheet(const Fitter& fitter, int modes, int size_px) {
  std::vector<cv::Mat> all;
  const int count = std::min(modes, shown_level(fitter.model()).modes);
  all.reserve(3 * static_cast<std::size_t>(count));
  for (int mode = 0; mode < count; ++mode) {
    for (const double sigmas : {-2.0, 0.0, 2.0}) {
      all.push_back(draw_mode(fitter, mode, sigmas, size_px));
      apps::draw_text(all.back(), apps::text("mode %d at %+.0f", mode + 1, sigmas), {8.0, 20.0}, 10,
                      colours::faint);
    }
  }
  return sheet(all, 3);
}

void draw_modes(const Options& options) {
  const Model model = load_model(options.model);
  if (shown_level(model).modes == 0) throw Error(options.model.string() + " has no modes to show");
  const Fitter fitter(model, {}, Device::cpu());
  const int modes = std::min(options.modes, shown_level(model).modes);
  constexpr int size_px = 320;
  apps::end_on_interrupt();
  apps::Outputs outputs;
  apps::keep_on_failure(outputs, [&] {
    int done = 0;
    for (; done < modes && !apps::interrupted(); ++done) {
      std::vector<cv::Mat> row;
      for (const double sigmas : {-2.0, 0.0, 2.0}) row.push_back(draw_mode(fitter, done, sigmas, size_px));
      apps::write_picture(outputs, outputs.add(options.out / apps::text("mode_%02d.png", done + 1)),
                          sheet(row, 3));
    }
    if (done == modes)
      apps::write_picture(outputs, outputs.add(options.out / "modes.png"),
                          draw_mode_sheet(fitter, modes, size_px));
    outputs.commit();
    if (done < modes)
      throw apps::Interrupted("kept the pictures of " + std::to_string(done) + " of " +
                              std::to_string(modes) + " modes in " + options.out.string());
  });
  std::printf("aam_demo: %d of %d %s modes, each at -2, 0 and +2 standard deviations, in %s.\n", modes,
              shown_level(model).modes, has_appearance(model) ? "combined" : "fitted", options.out.c_str());
}

}  // namespace triptych::aam_demo
