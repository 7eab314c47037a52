#include <triptych/core/error.hpp>

#include <utility>

namespace triptych {

namespace {

std::string position(const std::string& file, std::int64_t line, std::int64_t column) {
  if (line <= 0) return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace

ParseError::ParseError(std::string file, std::int64_t line, std::int64_t column, const std::string& what)
    : Error(position(file, line, column) + ": " + what),
      file_(std::move(file)),
      line_(line),
      column_(column) {}

CudaError::CudaError(const std::string& call, const std::string& file, int line, int code,
                     const std::string& description)
    : Error(file + ":" + std::to_string(line) + ": " + call + " failed: " + description + " (CUDA error " +
            std::to_string(code) + ")"),
      code_(code) {}

}  // namespace triptych
