// triptych.skin.
#include "../bind.hpp"

namespace triptych::python {

void bind_skin(nb::module_&) {}

}  // namespace triptych::python
