// Generalised Procrustes analysis and the shape's PCA.
#include <triptych/core/length.hpp>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

#include "train/shape_model.hpp"

namespace triptych::aam_fit {
namespace {

Shape centred(std::span<const Point> shape) {
  const Point centre = centre_of(shape);
  return posed(Similarity{0, 0, -centre.x, -centre.y}, shape);
}

Shape of_size_one(std::span<const Point> shape) {
  Shape result = centred(shape);
  const double size = face_size(result);
  return posed(Similarity{1 / size - 1, 0, 0, 0}, result);
}

// The shape in the frame of the mean.
Shape unposed(std::span<const Point> mean, std::span<const Point> shape) {
  return posed(inverse(align(mean, shape)), shape);
}

// Rotated so that the mean rotation of the shapes against it is zero.
Shape upright(const Shape& mean, std::span<const Shape> shapes) {
  double along = 0, across = 0;
  for (const Shape& shape : shapes) {
    const Similarity pose = align(mean, shape);
    const double size = length(1 + pose.sx, pose.sy);
    along += (1 + pose.sx) / size;
    across += pose.sy / size;
  }
  const double size = length(along, across);
  if (size == 0) return mean;
  return posed(Similarity{along / size - 1, across / size, 0, 0}, mean);
}

Shape procrustes_mean(std::span<const Shape> shapes) {
  Shape mean = of_size_one(shapes.front());
  for (int round = 0; round < 20; ++round) {
    Shape sum(mean.size());
    for (const Shape& shape : shapes) {
      const Shape aligned = posed(align(shape, mean), shape);
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = {sum[i].x + aligned[i].x, sum[i].y + aligned[i].y};
    }
    const Shape next = of_size_one(sum);
    double change = 0;
    for (std::size_t i = 0; i < next.size(); ++i)
      change = std::max(change, length(next[i].x - mean[i].x, next[i].y - mean[i].y));
    mean = next;
    if (change < 1e-10) break;
  }
  return of_size_one(upright(mean, shapes));
}

// Orthonormal columns: the directions in which a pose moves the mean.
Eigen::MatrixXd pose_directions(std::span<const Point> mean) {
  const auto count = static_cast<Eigen::Index>(mean.size());
  Eigen::MatrixXd directions(2 * count, 4);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Point p = mean[static_cast<std::size_t>(i)];
    directions.row(2 * i) << p.x, -p.y, 1, 0;
    directions.row(2 * i + 1) << p.y, p.x, 0, 1;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(directions);
  return qr.householderQ() * Eigen::MatrixXd::Identity(2 * count, 4);
}

}  // namespace

Eigen::VectorXd flat(std::span<const Point> shape) {
  Eigen::VectorXd coordinates(2 * static_cast<Eigen::Index>(shape.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    coordinates[2 * static_cast<Eigen::Index>(i)] = shape[i].x;
    coordinates[2 * static_cast<Eigen::Index>(i) + 1] = shape[i].y;
  }
  return coordinates;
}

Shape unflat(const Eigen::VectorXd& coordinates) {
  Shape shape(static_cast<std::size_t>(coordinates.size() / 2));
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = {coordinates[2 * static_cast<Eigen::Index>(i)],
                coordinates[2 * static_cast<Eigen::Index>(i) + 1]};
  return shape;
}

ShapeModel make_shape_model(std::span<const Shape> shapes, const ModeSelection& selection) {
  ShapeModel model;
  model.mean = procrustes_mean(shapes);
  const Eigen::MatrixXd poses = pose_directions(model.mean);
  const Eigen::VectorXd mean = flat(model.mean);
  Eigen::MatrixXd deviations(mean.size(), static_cast<Eigen::Index>(shapes.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Eigen::VectorXd deviation = flat(unposed(model.mean, shapes[i])) - mean;
    deviations.col(static_cast<Eigen::Index>(i)) = deviation - poses * (poses.transpose() * deviation);
  }
  // Few numbers: the SVD in double. The mean is kept as it is, so that deviations are not centred again.
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(deviations, Eigen::ComputeThinU);
  const Eigen::VectorXd variances = svd.singularValues().array().square();
  constexpr double least = 1e-12;  // of the mean's own size: shapes that are all the same
  const double sum = variances.sum();
  const Eigen::Index most = std::min<Eigen::Index>(variances.size(), mean.size() - 4);
  Eigen::Index usable = 0, count = 0;
  while (usable < most && variances[usable] > least * static_cast<double>(shapes.size())) ++usable;
  if (selection.count > 0)
    count = std::min<Eigen::Index>(selection.count, usable);
  else
    for (double seen = 0; count < usable && seen < selection.share * sum; ++count) seen += variances[count];
  model.modes = svd.matrixU().leftCols(count);
  model.sigma = (variances.head(count) / static_cast<double>(shapes.size())).cwiseSqrt();
  return model;
}

std::vector<int> find_mirror_points(std::span<const Point> mean) {
  constexpr double most = 0.06;
  Shape mirrored(mean.begin(), mean.end());
  for (Point& p : mirrored) p.x = -p.x;
  const std::size_t count = mean.size();
  std::vector<int> partner(count);
  for (int round = 0; round < 5; ++round) {
    struct Pairing {
      double distance;
      std::size_t a, b;
    };
    std::vector<Pairing> pairings;
    pairings.reserve(count * (count + 1) / 2);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a; b < count; ++b)
        pairings.push_back({length(mean[a].x - mirrored[b].x, mean[a].y - mirrored[b].y), a, b});
    std::sort(pairings.begin(), pairings.end(),
              [](const Pairing& p, const Pairing& q) { return p.distance < q.distance; });
    std::fill(partner.begin(), partner.end(), -1);
    double worst = 0;
    for (const Pairing& p : pairings)
      if (partner[p.a] < 0 && partner[p.b] < 0) {
        partner[p.a] = static_cast<int>(p.b);
        partner[p.b] = static_cast<int>(p.a);
        worst = std::max(worst, p.distance);
      }
    if (worst < most * face_size(mean)) return partner;
    Shape target(count);
    for (std::size_t b = 0; b < count; ++b) target[b] = mean[static_cast<std::size_t>(partner[b])];
    mirrored = posed(align(mirrored, target), mirrored);
  }
  return {};
}

}  // namespace triptych::aam_fit
