// triptych.aam.
#include "../bind.hpp"

namespace triptych::python {

void bind_aam(nb::module_&) {}

}  // namespace triptych::python
