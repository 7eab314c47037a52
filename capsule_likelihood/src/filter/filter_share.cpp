#include <triptych/core/version.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "filter/filter_share.hpp"

namespace triptych::capsule_likelihood {

namespace {

std::string sentence_of(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown";
  }
}

class Fingerprint {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
  }
  void add(const Vec3& v) { add_all(v.x, v.y, v.z); }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(c);
  }
  template <class... T>
  void add_all(const T&... values) {
    (add(values), ...);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

FilterShare::FilterShare(const FilterOptions& options)
    : exchange_(options.exchange ? options.exchange : make_single_exchange()),
      split_(options.split),
      cameras_(options.cameras) {
  require(split_ == FilterSplit::samples || split_ == FilterSplit::cameras,
          "the split of a filter is unknown");
  for (const RigidTransform& camera : cameras_) check_transform(camera, "a camera of a filter");
  if (cameras_.empty()) cameras_.emplace_back();
  require(cameras_.size() == 1 || !splits_samples() || exchange_->size() == 1,
          "ranks that split the samples share one camera, not ", cameras_.size(),
          ": use FilterSplit::cameras");
  const std::int64_t ranks = splits_samples() ? 1 : exchange_->size();
  const std::int64_t clouds = ranks * static_cast<std::int64_t>(cameras_.size());
  require(options.max_points <= max_rays / clouds, clouds, " clouds of ", options.max_points,
          " points have more than ", max_rays, " points: lower FilterOptions::max_points");
  count_ = options.samples;
  if (!splits_samples()) return;
  const auto begin_of = [&](int rank) {
    return static_cast<std::int32_t>(std::int64_t{options.samples} * rank / exchange_->size());
  };
  first_ = begin_of(exchange_->rank());
  count_ = begin_of(exchange_->rank() + 1) - first_;
}

FilterShare::Frame FilterShare::begin_frame(const Frame& own, const std::exception_ptr& failure) const {
  struct Header {
    std::int64_t failed;
    Frame frame;
  };
  const Header header{failure ? 1 : 0, own};
  std::vector<Header> all(static_cast<std::size_t>(exchange_->size()));
  exchange_->gather(std::as_bytes(std::span(&header, 1)), std::as_writable_bytes(std::span(all)));
  if (std::any_of(all.begin(), all.end(), [](const Header& h) { return h.failed != 0; }))
    throw_failure(failure);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].frame.number == all[0].frame.number) continue;
    throw Error("rank " + std::to_string(i) + " is at frame " + std::to_string(all[i].frame.number) +
                ", rank 0 at frame " + std::to_string(all[0].frame.number) +
                ": all ranks must submit every frame; call start() on all ranks");
  }
  return all[0].frame;
}

void FilterShare::sum_or_fail(std::span<std::int64_t> values, const std::exception_ptr& failure) const {
  values.back() = failure ? 1 : 0;
  exchange_->sum(values);
  if (values.back() != 0) throw_failure(failure);
}

void FilterShare::throw_failure(const std::exception_ptr& failure) const {
  try {
    agree(*exchange_, sentence_of(failure));
  } catch (const Error&) {
    if (failure) std::rethrow_exception(failure);
    throw;
  }
  throw Error("a rank of the filter failed without a reason");
}

CloudView SharedCloud::receive(Exchange& exchange, const CloudView& own, const FilterShare::Frame& frame) {
  if (exchange.size() == 1) return own;
  points.resize(static_cast<std::size_t>(frame.points));
  sigma_m.resize(static_cast<std::size_t>(frame.sigmas));
  if (exchange.rank() == 0) {
    std::copy(own.points.begin(), own.points.end(), points.begin());
    std::copy(own.sigma_m.begin(), own.sigma_m.end(), sigma_m.begin());
  }
  exchange.broadcast(std::as_writable_bytes(std::span(points)), 0);
  if (frame.sigmas > 0) exchange.broadcast(std::as_writable_bytes(std::span(sigma_m)), 0);
  return {points, sigma_m};
}

std::vector<std::byte> fingerprint_of(const Skeleton& skeleton, const FilterOptions& o) {
  Fingerprint f;
  f.add(std::string_view(version()));
  f.add_all(o.sensor.loss, o.sensor.surface, o.sensor.inside, o.sensor.sigma_m, o.sensor.tau_m);
  f.add_all(o.samples, o.layers, o.seed, o.motion, o.max_points, o.min_score, o.min_confidence,
            o.search_after_frames, o.fit_steps, o.recover_limbs, o.recover_heading);
  f.add_all(o.position_spread_m, o.rotation_spread_rad, o.limb_spread_m, o.max_angle_spread_rad, o.min_spread,
            o.start_spread, o.shrink, o.effective_share, o.max_loss_nats, o.partitioned, o.velocity_follow,
            o.velocity_damp, o.mean_reversion);
  f.add(o.split);
  if (o.split == FilterSplit::samples) {  // else each rank has its own cameras
    f.add(o.sensor.camera);
    for (const RigidTransform& camera : o.cameras) {
      for (const float x : camera.rotation) f.add(x);
      f.add(camera.translation_m);
    }
  }
  for (const Joint& joint : skeleton.joints()) {
    f.add(joint.parent);
    f.add(joint.offset_m);
    for (const Rotation& rotation : joint.rotations) {
      f.add(rotation.axis);
      f.add_all(rotation.lower_rad, rotation.upper_rad);
    }
  }
  for (const BodyCapsule& part : skeleton.body_capsules()) {
    f.add_all(part.joint, part.capsule.radius_m);
    f.add(part.capsule.a);
    f.add(part.capsule.b);
  }
  return f.take();
}

}  // namespace triptych::capsule_likelihood
