// How an InvalidArgument names the argument as Python writes it.
#pragma once

#include <triptych/core/error.hpp>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace triptych::python {

namespace nb = nanobind;

// Calls function() and puts the argument's name before the message of an InvalidArgument.
template <class Function>
decltype(auto) naming(std::string_view argument, Function&& function) {
  try {
    return function();
  } catch (const InvalidArgument& problem) {
    throw InvalidArgument(std::string(argument) + ": " + problem.what());
  }
}

// The sentence of a library, after the keywords that it is about when it describes them in other words.
std::string with_keywords(std::string_view sentence);

template <std::size_t size>
struct ParameterName {
  char text[size];
  consteval ParameterName(const char (&name)[size]) { std::copy_n(name, size, text); }
};

// A whole number among the parameters of a bound function: Whole<"threads"> threads. It converts to T;
// InvalidArgument, which begins with the name, for a number that T cannot hold.
template <ParameterName name, class T = int>
class Whole {
 public:
  Whole() = default;
  Whole(T value) : value_(value) {}
  static Whole beyond() {
    Whole number;
    number.fits_ = false;
    return number;
  }

  operator T() const {
    using Limits = std::numeric_limits<T>;
    require(fits_, name.text, ": expected a whole number from ", Limits::min(), " to ", Limits::max());
    return value_;
  }

 private:
  T value_ = 0;
  bool fits_ = true;
};

}  // namespace triptych::python

template <triptych::python::ParameterName parameter, class T>
struct nanobind::detail::type_caster<triptych::python::Whole<parameter, T>> {
  using Number = triptych::python::Whole<parameter, T>;
  NB_TYPE_CASTER(Number, const_name("int"))

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<T> number;
    if (number.from_python(source, flags, cleanup)) {
      value = Number(number.value);
      return true;
    }
    value = Number::beyond();
    return PyIndex_Check(source.ptr()) != 0;
  }
};
