// ExactSum: the accumulator of the correctly rounded sum, for arrays that come in parts.
#include <triptych/reduction/exact.hpp>

#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <variant>

#include "../bind.hpp"
#include "reducer.hpp"

namespace triptych::python {

namespace {

template <class T>
constexpr const char* type_name = std::is_same_v<T, float> ? "float32" : "float64";

class PyExactSum {
 public:
  explicit PyExactSum(nb::handle dtype) {
    const auto name = nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
    require(name == "float32" || name == "float64", "dtype: expected float32 or float64, not ", name);
    if (name == "float32") sum_ = reduction::ExactSum<float>();
  }

  void add(const Array& x) {
    std::visit([&](auto& sum) { add(sum, x); }, sum_);
  }
  void merge(const PyExactSum& other) {
    std::visit(
        [&]<class T>(reduction::ExactSum<T>& sum) {
          const auto* const more = std::get_if<reduction::ExactSum<T>>(&other.sum_);
          if (more == nullptr)
            throw InvalidArgument(std::string("other: expected a sum of ") + type_name<T> + ", not of " +
                                  other.dtype());
          sum.merge(*more);
        },
        sum_);
  }
  double value() const {
    return std::visit([](const auto& sum) { return static_cast<double>(sum.value()); }, sum_);
  }
  const char* dtype() const {
    return std::visit([]<class T>(const reduction::ExactSum<T>&) { return type_name<T>; }, sum_);
  }
  nb::bytes words() const {
    return std::visit([](const auto& sum) { return nb::bytes(sum.words, sizeof sum.words); }, sum_);
  }
  void set_words(const nb::bytes& bytes) {
    std::visit(
        [&](auto& sum) {
          require(bytes.size() == sizeof sum.words, "state: has ", bytes.size(), " bytes instead of ",
                  sizeof sum.words);
          std::memcpy(sum.words, bytes.c_str(), sizeof sum.words);
          sum.normalise();
        },
        sum_);
  }
  bool operator==(const PyExactSum&) const = default;

 private:
  template <class T>
  static void add(reduction::ExactSum<T>& sum, const Array& x) {
    x.require_type<T>();
    sum.merge(reducer_for(x, "automatic", "exact").sum_exact<T>(x));
  }

  std::variant<reduction::ExactSum<double>, reduction::ExactSum<float>> sum_;
};

}  // namespace

void bind_exact_sum(nb::module_& m) {
  nb::class_<PyExactSum>(
      m, "ExactSum",
      "The exact sum of arrays that come in parts: from a file, from several GPUs, processes or machines.\n"
      "Its value is rounded once and does not depend on the parts or their order. Use one from one thread at "
      "a "
      "time. It can be pickled, so that "
      "parts can be\n"
      "summed elsewhere and added up: sum(parts, ExactSum()).\n\n"
      ">>> total = ExactSum()\n"
      ">>> for x in (1e300, 1.0, -1e300): total.add(numpy.array([x]))\n"
      ">>> total.value\n1.0")
      .def(
          "__init__", [](PyExactSum* self, nb::handle dtype) { new (self) PyExactSum(dtype); },
          nb::arg("dtype") = "float64", "dtype: of the elements, float32 or float64.")
      .def(
          "add", [](PyExactSum& self, nb::handle x, nb::handle stream) { self.add(Array(x, "x", stream)); },
          nb::arg("x").none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          "Adds the elements of a contiguous array of that type, on the host or a GPU. stream: the CUDA "
          "stream on which it is written;\nwithout it the array's library is asked.")
      .def("merge", &PyExactSum::merge, nb::arg("other"), "Adds another sum of the same type.")
      .def(
          "__add__",
          [](const PyExactSum& self, const PyExactSum& other) {
            PyExactSum sum = self;
            sum.merge(other);
            return sum;
          },
          nb::is_operator())
      .def(
          "__iadd__",
          [](nb::object self, const PyExactSum& other) {
            nb::cast<PyExactSum&>(self).merge(other);
            return self;
          },
          nb::is_operator())
      .def(
          "__eq__", [](const PyExactSum& self, const PyExactSum& other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def_prop_ro("value", &PyExactSum::value, "The sum, rounded once to the type of the elements.")
      .def_prop_ro("dtype", &PyExactSum::dtype, "\"float32\" or \"float64\".")
      .def("__float__", &PyExactSum::value)
      .def("__getstate__", [](const PyExactSum& self) { return nb::make_tuple(self.dtype(), self.words()); })
      .def("__setstate__",
           [](PyExactSum& self, const nb::tuple& state) {
             new (&self) PyExactSum(state[0]);
             self.set_words(nb::cast<nb::bytes>(state[1]));
           })
      .def("__repr__", [](const PyExactSum& self) {
        return "ExactSum(dtype='" + std::string(self.dtype()) + "', value=" + text_of(self.value()) + ")";
      });
  m.attr("ExactSum").attr("__hash__") = nb::none();
}

}  // namespace triptych::python
