// triptych.aam.
#include "../bind.hpp"
#include "aam.hpp"

namespace triptych::python {

void bind_aam(nb::module_& m) {
  bind_aam_options(m);
  bind_aam_model(m);
  bind_aam_train(m);
  bind_aam_fit(m);
  bind_aam_fitter(m);
  bind_aam_tracker(m);
  bind_aam_shape(m);
  bind_aam_files(m);
  bind_aam_pose(m);
  bind_aam_synthetic(m);
}

}  // namespace triptych::python
