// An update by ridge regression of displaced starts.
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>

#include "crop/prepare_cpu.hpp"
#include "train/ridge.hpp"
#include "train/texture.hpp"
#include "train/update.hpp"

namespace triptych::aam_fit {
namespace {

constexpr int fold_count = 5;

// The fold of each example: dealt out in a random order, so that folds have one size, to one or so.
std::vector<int> deal_folds(int examples, std::uint64_t seed, std::uint64_t round) {
  std::vector<int> order(static_cast<std::size_t>(examples)), folds(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  PhiloxStream random(seed, std::uint64_t{1} << 63 | round);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.next() % static_cast<std::uint32_t>(i)]);
  for (std::size_t i = 0; i < order.size(); ++i)
    folds[static_cast<std::size_t>(order[i])] = static_cast<int>(i % fold_count);
  return folds;
}

// Residuals and parameters of all starts at a level, and the distance to the truth.
struct StartResiduals {
  Rows residuals;   // starts x samples
  Rows parameters;  // starts x (modes + 4): at the starts
  Rows targets;     // the same: truth - start
};

void set_pose(Rows& rows, Eigen::Index i, Eigen::Index m, const Similarity& pose) {
  rows.row(i).segment<4>(m) << static_cast<float>(pose.sx), static_cast<float>(pose.sy),
      static_cast<float>(pose.tx), static_cast<float>(pose.ty);
}

// At the first resolution each start has a crop of its own, as in a fit; later the starts of a face, which
// lie side by side, share the crop around their mean.
void set_crops(const Level& level, bool is_first, std::span<Start> starts) {
  if (is_first) {
    for (Start& start : starts) start.crop = crop_for(level, start.shape, first_crop_margin);
    return;
  }
  for (std::size_t first = 0, end = 0; first < starts.size(); first = end) {
    std::vector<const Shape*> shapes;
    for (; end < starts.size() && starts[end].face == starts[first].face; ++end)
      shapes.push_back(&starts[end].shape);
    const Crop crop = crop_for(level, mean_of_shapes(shapes), later_crop_margin);
    for (std::size_t i = first; i < end; ++i) starts[i].crop = crop;
  }
}

// truths: c of the faces. Textures without contrast become zeros, and their residual is -g0: rare, and the
// same at run time.
StartResiduals residuals_at(const Level& level, std::span<const TrainingFace> faces,
                            std::span<const Start> starts, const Rows& truths, const Execution& run) {
  const auto count = static_cast<Eigen::Index>(starts.size());
  const Eigen::Index n = level.samples(), m = level.modes;
  const Eigen::Map<const Eigen::VectorXf> mean(level.g0.data(), n);
  StartResiduals at_starts{Rows(count, n), Rows(count, m + 4), Rows(count, m + 4)};
  run.chunks(count, 8, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    FaceSampler sampler(level);
    const Start* prepared = nullptr;
    for (std::int64_t i = first; i < last; ++i) {
      run.check();
      const Start& start = starts[static_cast<std::size_t>(i)];
      const TrainingFace& face = faces[static_cast<std::size_t>(start.face)];
      const Shape shape = to_crop(start.crop, start.shape);
      if (prepared == nullptr || prepared->face != start.face || prepared->crop != start.crop)
        sampler.prepare(face.image->view(), start.crop);
      prepared = &start;
      const std::span<float> texture(at_starts.residuals.data() + i * n, static_cast<std::size_t>(n));
      sampler.sample(shape, texture);
      normalise(texture, level.g0.span(), level.normalisation);
      at_starts.residuals.row(i) -= mean.transpose();
      const ShapeParameters at_start = shape_parameters(level, shape);
      const ShapeParameters at_truth = shape_parameters(level, to_crop(start.crop, face.landmarks));
      at_starts.parameters.row(i).head(m) = at_start.c.transpose();
      set_pose(at_starts.parameters, i, m, at_start.pose);
      at_starts.targets.row(i).head(m) = truths.row(start.face);
      set_pose(at_starts.targets, i, m, at_truth.pose);
    }
  });
  const Eigen::Map<const Rows> Qg(level.Qg.data(), m, n);
  if (level.texture_determines_c)
    at_starts.parameters.leftCols(m) += times(at_starts.residuals, Qg.transpose(), run);
  run.each(count,
           [&](std::int64_t i) { at_starts.residuals.row(i) -= at_starts.parameters.row(i).head(m) * Qg; });
  at_starts.targets -= at_starts.parameters;
  return at_starts;
}

}  // namespace

std::vector<Start> make_starts(const Shape& mean, std::span<const TrainingFace> faces, const Displacements& d,
                               std::uint64_t seed) {
  std::vector<Start> starts;
  starts.reserve(faces.size() * static_cast<std::size_t>(d.per_face));
  for (std::size_t i = 0; i < faces.size(); ++i) {
    PhiloxStream random(seed, i);
    const auto within = [&](double bound) { return bound * (2.0 * double{random.next_uniform()} - 1.0); };
    const Box box = bounds(faces[i].landmarks);
    const Shape placed = place_in_box(mean, box);
    const Point centre{box.x + box.width / 2, box.y + box.height / 2};
    for (int k = 0; k < d.per_face; ++k) {
      const double scale = 1 + within(d.scale), rotation = within(d.rotation_rad);
      const double x = within(d.shift) * box.width, y = within(d.shift) * box.height;
      const Similarity about{scale * std::cos(rotation) - 1, scale * std::sin(rotation), 0, 0};
      const Point moved = posed(about, centre);
      starts.push_back(
          {static_cast<int>(i),
           posed(Similarity{about.sx, about.sy, centre.x - moved.x + x, centre.y - moved.y + y}, placed),
           {}});
    }
  }
  return starts;
}

void learn_regression_update(Level& level, std::span<const TrainingFace> faces, const Rows& c,
                             std::vector<Start>& starts, const Stage& stage, const TrainOptions& options,
                             const Execution& run) {
  const Eigen::Index m = level.modes, count = static_cast<Eigen::Index>(starts.size());
  if (stage.number == 0) set_crops(level, stage.level == 0, starts);
  const StartResiduals at_starts = residuals_at(level, faces, starts, c, run);

  const Eigen::MatrixXf K = gram(at_starts.residuals, run);
  const auto ridge = static_cast<float>(options.ridge * K.diagonal().cast<double>().mean());
  require(ridge > 0, "a ridge of ", options.ridge, " leaves the regression without a solution");

  int examples = 0;
  for (const TrainingFace& face : faces) examples = std::max(examples, face.example + 1);
  const std::vector<int> fold_of =
      deal_folds(examples, options.seed, 64 * stage.level + static_cast<std::uint64_t>(stage.number));
  std::vector<int> folds;  // none when no start has to move
  if (!stage.is_last)
    for (const Start& start : starts)
      folds.push_back(fold_of[static_cast<std::size_t>(faces[static_cast<std::size_t>(start.face)].example)]);
  const RidgeSolution solution = solve_ridge(K, at_starts.targets, ridge, folds, run);

  const Rows R = -transposed_times(solution.weights, at_starts.residuals, run);  // dp = -R r
  level.R = std::vector<float>(R.data(), R.data() + R.size());
  if (stage.is_last) return;

  run.each(count, [&](std::int64_t i) {
    Start& start = starts[static_cast<std::size_t>(i)];
    const Eigen::VectorXf p = at_starts.parameters.row(i) + solution.predictions.row(i);
    const Similarity pose{double{p[m]}, double{p[m + 1]}, double{p[m + 2]}, double{p[m + 3]}};
    start.shape = to_frame(start.crop, shape_of(level, p.head(m), pose));
  });
}

}  // namespace triptych::aam_fit
