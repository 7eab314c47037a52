// The objects of the three modules behind one interface, each with a few frames of its own.
#pragma once

#include <triptych/core/device.hpp>

#include <functional>
#include <string>
#include <vector>

namespace triptych::test {

using Values = std::vector<double>;

// The functions own the object: it lives as long as they do.
struct CudaObject {
  std::function<Values(int frame)> step;
  std::function<void(int frame)> submit;
  std::function<Values()> next;
  std::function<void()> refused;            // throws InvalidArgument
  std::function<void()> restart = nullptr;  // of an object that does not go on after a CudaError, but says so
};

struct CudaObjectKind {
  std::string name;
  std::function<CudaObject(const Device&)> make;
  int frames = 8;  // of a life; at least 4
};
constexpr int cuda_object_frames = 8;  // that there are
const std::vector<CudaObjectKind>& cuda_object_kinds();

}  // namespace triptych::test
