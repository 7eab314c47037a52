// triptych.capsule.
#include "../bind.hpp"

namespace triptych::python {

void bind_capsule(nb::module_&) {}

}  // namespace triptych::python
