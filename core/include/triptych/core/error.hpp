// The error hierarchy: every exception of the library derives from Error. what() is a sentence that names the
// wrong value and, where possible, the remedy.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace triptych {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An argument violates the contract; nothing was launched or written.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// The machine or the build lacks a requirement (CUDA, a driver, a GPU); what() names it.
class Unavailable : public Error {
 public:
  using Error::Error;
};

// A file has unexpected contents. Lines and columns count from 1; line 0 means that the position is unknown,
// and what() is then "file: what" instead of "file:line:column: what".
class ParseError : public Error {
 public:
  ParseError(std::string file, std::int64_t line, std::int64_t column, const std::string& what);

  const std::string& file() const noexcept { return file_; }
  std::int64_t line() const noexcept { return line_; }
  std::int64_t column() const noexcept { return column_; }

 private:
  std::string file_;
  std::int64_t line_;
  std::int64_t column_;
};

// A CUDA runtime call failed: code() is its cudaError_t, description the text of cudaGetErrorString.
class CudaError : public Error {
 public:
  CudaError(const std::string& call, const std::string& file, int line, int code,
            const std::string& description);

  int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace detail {
template <class... Parts>
[[noreturn]] void throw_invalid_argument(const Parts&... parts) {
  std::ostringstream sentence;
  (sentence << ... << parts);
  throw InvalidArgument(sentence.str());
}
}  // namespace detail

// Throws InvalidArgument with the parts joined into one sentence unless the condition holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) detail::throw_invalid_argument(parts...);
}

// As require, for functions that also run on the device, where it checks nothing.
template <class... Parts>
TRIPTYCH_INLINE_HD void require_on_host([[maybe_unused]] bool condition,
                                        [[maybe_unused]] const Parts&... parts) {
#if !defined(__CUDA_ARCH__)
  require(condition, parts...);
#endif
}

}  // namespace triptych
