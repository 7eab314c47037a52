// Checks of one level, for models and for the fits of single levels.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <cstdint>
#include <string>

namespace triptych::aam_fit {

// InvalidArgument, with the name, when the arrays of a level of so many samples do not fit each other, a
// number is not finite, or one of the limits of check_model() does not hold. has_update: it must have an R.
void check_level(const Level& level, const std::string& name, std::int64_t samples, bool has_update);

// The part of check_model() that pictures need. InvalidArgument.
void check_appearance(const Model& model);

}  // namespace triptych::aam_fit
