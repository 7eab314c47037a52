// triptych._triptych: the compiled part of the Python package triptych.
#include <triptych/core/version.hpp>

#include "bind.hpp"

NB_MODULE(_triptych, m) {
  using namespace triptych::python;
  m.doc() = "The compiled part of triptych; use triptych.reduce, .skin, .capsule, .aam and .exchange.";
  m.attr("__version__") = triptych::version();
  bind_errors(m);
  bind_devices(m);
  bind_device_array(m);
  nb::module_ exchange = m.def_submodule("exchange", "Ranks that share a filter.");
  bind_exchange(exchange);
  nb::module_ reduce = m.def_submodule("reduce", "Reductions of arrays.");
  bind_reduce(reduce);
  nb::module_ skin = m.def_submodule("skin", "The head's position and distance from skin colour.");
  bind_skin(skin);
  nb::module_ capsule = m.def_submodule("capsule", "A person's pose from a cloud of points.");
  bind_capsule(capsule);
  nb::module_ aam = m.def_submodule("aam", "Facial landmarks from an active appearance model.");
  bind_aam(aam);
}
