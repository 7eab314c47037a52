// CUDA streams that come from Python, and the order between them and the streams of Triptych's objects.
#pragma once

#include <triptych/core/stream.hpp>

#include <nanobind/nanobind.h>

#include <optional>

namespace triptych::python {

namespace nb = nanobind;

// The handle in the argument `stream`: an integer, torch.cuda.Stream, cupy.cuda.Stream, or anything with
// __cuda_stream__; empty for None.
std::optional<CUstream_st*> stream_of(nb::handle stream);

// The stream on which the library of an array (torch or CuPy) enqueues its work now. InvalidArgument for
// other libraries: the caller must then name the stream.
CUstream_st* current_stream_of(nb::handle array, const char* argument);

// The stream of this process through which arrays of a GPU are imported: producers make it wait for their
// data.
StreamRef import_stream(int ordinal);

}  // namespace triptych::python
