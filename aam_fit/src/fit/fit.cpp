// What both twins of the fit share on the host: names and checks of options.
#include <triptych/aam_fit/fit.hpp>
#include <triptych/core/error.hpp>

#include <array>
#include <string_view>

#include "fit/fit_checks.hpp"

namespace triptych::aam_fit {

std::string to_string(FitStatus status) {
  constexpr std::array<std::string_view, 7> names = {"converged",    "no_improvement", "out_of_iterations",
                                                     "lost_outside", "lost_contrast",  "completed",
                                                     "lost_no_face"};
  const auto i = static_cast<std::size_t>(status);
  require(i < names.size(), "there is no status number ", i);
  return std::string(names[i]);
}

void check_storage(Storage storage) {
  require(storage == Storage::float32 || storage == Storage::float16, "there is no storage number ",
          static_cast<int>(storage));
}

void check_options(const FitOptions& options) {
  require(options.form == Form::paper || options.form == Form::one_pass, "there is no form number ",
          static_cast<int>(options.form), " of a fit");
  check_storage(options.storage);
  require(options.max_iterations >= 0 && options.max_iterations <= 10000, "a fit cannot have ",
          options.max_iterations, " iterations");
  require(options.steps >= 1 && options.steps <= 16, "a fit tries 1 to 16 step sizes, not ", options.steps);
  require(options.min_relative_gain >= 0 && options.min_move_px >= 0,
          "the least gain and the least move of a fit are not negative: ", options.min_relative_gain, " and ",
          options.min_move_px);
  require(options.max_outside_fraction >= 0 && options.max_outside_fraction <= 1,
          "the share of pixels outside that loses a fit lies in 0..1, not at ", options.max_outside_fraction);
}

}  // namespace triptych::aam_fit
