// Every call that core makes into the CUDA runtime. Two implementations: runtime_cuda.cpp, and
// runtime_off.cpp for builds without CUDA, where each throws Unavailable. The noexcept functions serve
// destructors and ignore errors.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/stream.hpp>

#include <cstddef>
#include <string>

struct CUgraphExec_st;

namespace triptych::runtime {

void* allocate(detail::MemoryKind kind, std::size_t bytes);
void free(detail::MemoryKind kind, void* data) noexcept;
void copy(void* to, const void* from, std::size_t bytes, detail::CopyKind kind, CUstream_st* stream);
void fill(void* data, int byte, std::size_t bytes, CUstream_st* stream);

CUstream_st* create_stream();
void destroy_stream(CUstream_st* stream) noexcept;
void synchronize_stream(CUstream_st* stream);
bool is_capturing(CUstream_st* stream);
void wait_for_event(CUstream_st* stream, CUevent_st* event);

CUevent_st* create_event(Timing timing);
void destroy_event(CUevent_st* event) noexcept;
void call_on_host(CUstream_st* stream, void (*function)(void*), void* argument);
void record_event(CUevent_st* event, CUstream_st* stream);
void synchronize_event(CUevent_st* event);
bool query_event(CUevent_st* event);
double elapsed_ms(CUevent_st* begin, CUevent_st* end);

struct ExecutableGraph {
  CUgraphExec_st* executable;
  std::size_t node_count;
};
void begin_capture(CUstream_st* stream);
ExecutableGraph end_capture(CUstream_st* stream);
void abort_capture(CUstream_st* stream) noexcept;
void launch_graph(CUgraphExec_st* executable, CUstream_st* stream);
void destroy_graph(CUgraphExec_st* executable) noexcept;

bool built_with_cuda() noexcept;
int device_count() noexcept;
std::string unavailable_reason();
DeviceProperties device_properties(int ordinal);
int current_device();
void set_device(int ordinal);
void restore_device(int ordinal) noexcept;

}  // namespace triptych::runtime
