// An update by displaced parameters.
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/reduction/collective/chunks.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>

#include "train/texture.hpp"
#include "train/update.hpp"

namespace triptych::aam_fit {
namespace {

// Displacements of each parameter: of c in standard deviations, of the pose in shares of the face's size.
constexpr std::array<float, 2> mode_steps{0.25f, 0.5f};
constexpr std::array<float, 2> turn_steps{0.03f, 0.06f};
constexpr std::array<float, 2> shift_steps{0.02f, 0.04f};

std::array<float, 2> steps_of(const Level& level, Eigen::Index parameter) {
  const Eigen::Index m = level.modes;
  const auto scaled = [](std::array<float, 2> steps, float by) {
    return std::array{steps[0] * by, steps[1] * by};
  };
  if (parameter < m) return scaled(mode_steps, level.sigma[parameter]);
  return parameter < m + 2 ? turn_steps : scaled(shift_steps, static_cast<float>(level.face_size_px));
}

// The residual at parameters of a face whose planes the sampler holds; false without contrast.
bool residual(const Level& level, FaceSampler& sampler, const Eigen::VectorXf& p, Eigen::VectorXf& r) {
  const Eigen::Index m = level.modes;
  const Similarity pose{double{p[m]}, double{p[m + 1]}, double{p[m + 2]}, double{p[m + 3]}};
  const std::span<float> texture(r.data(), static_cast<std::size_t>(r.size()));
  sampler.sample(shape_of(level, p.head(m), pose), texture);
  if (normalise(texture, level.g0.span(), level.normalisation).alpha == 0) return false;
  r -= Eigen::Map<const Eigen::VectorXf>(level.g0.data(), level.samples());
  r.noalias() -= Eigen::Map<const Rows>(level.Qg.data(), m, level.samples()).transpose() * p.head(m);
  return true;
}

// Sums of slopes of one part of the faces.
struct Slopes {
  Rows sum;  // parameters x samples
  Eigen::VectorXf count;
};

void add_slopes(const Level& level, FaceSampler& sampler, const Eigen::VectorXf& at, Slopes& slopes,
                const Execution& run) {
  Eigen::VectorXf up(level.samples()), down(level.samples());
  for (Eigen::Index k = 0; k < at.size(); ++k)
    for (const float step : steps_of(level, k)) {
      run.check();
      if (!(step > 0)) continue;
      Eigen::VectorXf p = at;
      p[k] = at[k] + step;
      const bool above = residual(level, sampler, p, up);
      p[k] = at[k] - step;
      if (!above || !residual(level, sampler, p, down)) continue;
      slopes.sum.row(k) += (up - down).transpose() / (2 * step);
      slopes.count[k] += 1;
    }
}

}  // namespace

void learn_displaced_update(Level& level, std::span<const TrainingFace> faces, const Rows& c,
                            const Execution& run) {
  const Eigen::Index parameters = level.modes + 4, n = level.samples();
  // The Jacobian is an average over evenly chosen faces: at least 20, and no more than about 10^9 samples.
  const auto cost = static_cast<double>(4 * parameters * n);
  const auto most = std::max<std::size_t>(20, static_cast<std::size_t>(1e9 / cost));
  const std::size_t count = std::min(faces.size(), most);
  // Parts of a fixed number of faces, added in their order: the same bits whatever the threads.
  constexpr std::size_t part_size = 16;
  const std::size_t parts = (count + part_size - 1) / part_size;
  Slopes total{Rows::Zero(parameters, n), Eigen::VectorXf::Zero(parameters)};
  const int workers = run.threads > 0 ? run.threads : default_threads();
  const auto batch = static_cast<std::size_t>(workers);
  for (std::size_t first = 0; first < parts; first += batch) {
    const std::size_t now = std::min(batch, parts - first);
    std::vector<Slopes> slopes(now, {Rows::Zero(parameters, n), Eigen::VectorXf::Zero(parameters)});
    reduction::fold_chunks(
        std::span(slopes), static_cast<std::int64_t>(now), 1, run.threads,
        [&](Slopes& part, std::int64_t number, std::int64_t) {
          FaceSampler sampler(level);
          const std::size_t begin = (first + static_cast<std::size_t>(number)) * part_size;
          for (std::size_t i = begin; i < std::min(count, begin + part_size); ++i) {
            const std::size_t chosen = i * faces.size() / count;
            const TrainingFace& face = faces[chosen];
            const Crop crop = crop_for(level, face.landmarks);
            sampler.prepare(face.image->view(), crop);
            Eigen::VectorXf at(parameters);
            const Similarity pose = shape_parameters(level, to_crop(crop, face.landmarks)).pose;
            at << c.row(static_cast<Eigen::Index>(chosen)).transpose(), static_cast<float>(pose.sx),
                static_cast<float>(pose.sy), static_cast<float>(pose.tx), static_cast<float>(pose.ty);
            add_slopes(level, sampler, at, part, run);
          }
        },
        [&](const Slopes& part) {
          total.sum += part.sum;
          total.count += part.count;
        });
  }
  for (Eigen::Index k = 0; k < parameters; ++k) {
    require(total.count[k] > 0, "no face has contrast enough to learn how parameter ", k, " changes it");
    total.sum.row(k) /= total.count[k];
  }
  const Eigen::MatrixXd normal = gram(total.sum, run).cast<double>();  // J'J
  const Eigen::MatrixXd inverse = normal.ldlt().solve(Eigen::MatrixXd::Identity(parameters, parameters));
  const Rows R = transposed_times(inverse.cast<float>().transpose(), total.sum, run);
  level.R = std::vector<float>(R.data(), R.data() + R.size());
}

}  // namespace triptych::aam_fit
