// Looks whether a body that is followed faces the other way: a filter can follow one with its back to where
// its front is for long.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

// The body turned round and fitted to the points near it, if that explains them clearly better than the pose
// does, fitted or as it is; otherwise empty. On the host: the same pose whatever the filter runs on, for any
// number of threads (0: all cores).
std::vector<float> turned_if_better(const Skeleton& skeleton, const SensorModel& sensor,
                                    const CloudView& cloud, std::span<const float> pose, int threads);

}  // namespace triptych::capsule_likelihood
