// triptych.Error and its children as Python exceptions.
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/calibrate.hpp>

#include <nanobind/stl/string.h>

#include "bind.hpp"
#include "naming.hpp"

namespace triptych::python {

namespace {

// Never freed: exceptions can be thrown until the interpreter has ended.
struct Types {
  PyObject *error, *invalid_argument, *unavailable, *parse, *cuda, *calibration;
};
Types types;

PyObject* new_type(nb::module_& m, const char* name, const char* doc,
                   std::initializer_list<PyObject*> bases) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(bases.size()));
  Py_ssize_t at = 0;
  for (PyObject* base : bases) {
    Py_INCREF(base);
    PyTuple_SetItem(tuple, at++, base);
  }
  const std::string full = std::string("triptych.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, tuple, nullptr);
  Py_DECREF(tuple);
  if (type == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(type);
  return type;
}

nb::object instance(PyObject* type, const std::string& sentence) {
  return nb::handle(type)(nb::str(sentence.c_str()));
}

void raise(PyObject* type, const nb::object& value) { PyErr_SetObject(type, value.ptr()); }

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const InvalidArgument& e) {
    raise(types.invalid_argument, instance(types.invalid_argument, with_keywords(e.what())));
  } catch (const Unavailable& e) {
    raise(types.unavailable, instance(types.unavailable, e.what()));
  } catch (const ParseError& e) {
    nb::object value = instance(types.parse, e.what());
    value.attr("file") = e.file();
    value.attr("line") = e.line();
    value.attr("column") = e.column();
    raise(types.parse, value);
  } catch (const CudaError& e) {
    nb::object value = instance(types.cuda, e.what());
    value.attr("code") = e.code();
    raise(types.cuda, value);
  } catch (const skin_tracker::CalibrationError& e) {
    raise(types.calibration, instance(types.calibration, e.what()));
  } catch (const Error& e) {
    raise(types.error, instance(types.error, e.what()));
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  types.error = new_type(m, "Error", "Every error of triptych.", {PyExc_Exception});
  types.invalid_argument = new_type(m, "InvalidArgument", "An argument is not valid; nothing was changed.",
                                    {types.error, PyExc_ValueError});
  types.unavailable =
      new_type(m, "Unavailable", "CUDA, a driver or a GPU is missing; the message says which.",
               {types.error, PyExc_RuntimeError});
  types.parse = new_type(
      m, "ParseError",
      "A file has unexpected contents. Attributes: file, line and column, which count from 1; line 0 "
      "means that the position is unknown.",
      {types.error, PyExc_ValueError});
  types.cuda = new_type(m, "CudaError", "A CUDA call failed; the attribute code is its cudaError_t.",
                        {types.error, PyExc_RuntimeError});
  types.calibration = new_type(m, "CalibrationError", "The face cannot be separated from its surroundings.",
                               {types.error, PyExc_ValueError});
  nb::register_exception_translator(translate);
}

}  // namespace triptych::python
