// triptych.skin.
#include "../bind.hpp"
#include "skin.hpp"

namespace triptych::python {

void bind_skin(nb::module_& m) {
  bind_heads(m);
  bind_classifiers(m);
  bind_training(m);
  bind_calibration(m);
  bind_moments(m);
  bind_tracker(m);
  bind_one_euro(m);
  bind_perspective(m);
  bind_synthetic(m);
}

}  // namespace triptych::python
