#include <triptych/core/error.hpp>

#include "runtime.hpp"

namespace triptych::runtime {

namespace {
[[noreturn]] void unavailable() { throw Unavailable(unavailable_reason()); }
}  // namespace

void* allocate(detail::MemoryKind, std::size_t) { unavailable(); }
void free(detail::MemoryKind, void*) noexcept {}
void copy(void*, const void*, std::size_t, detail::CopyKind, CUstream_st*) { unavailable(); }
void fill(void*, int, std::size_t, CUstream_st*) { unavailable(); }

CUstream_st* create_stream() { unavailable(); }
void destroy_stream(CUstream_st*) noexcept {}
void synchronize_stream(CUstream_st*) { unavailable(); }
bool is_capturing(CUstream_st*) { unavailable(); }
void wait_for_event(CUstream_st*, CUevent_st*) { unavailable(); }

CUevent_st* create_event(Timing) { unavailable(); }
void destroy_event(CUevent_st*) noexcept {}
void call_on_host(CUstream_st*, void (*)(void*), void*) { unavailable(); }
void record_event(CUevent_st*, CUstream_st*) { unavailable(); }
void synchronize_event(CUevent_st*) { unavailable(); }
bool query_event(CUevent_st*) { unavailable(); }
double elapsed_ms(CUevent_st*, CUevent_st*) { unavailable(); }

void begin_capture(CUstream_st*) { unavailable(); }
ExecutableGraph end_capture(CUstream_st*) { unavailable(); }
void abort_capture(CUstream_st*) noexcept {}
void launch_graph(CUgraphExec_st*, CUstream_st*) { unavailable(); }
void destroy_graph(CUgraphExec_st*) noexcept {}

bool built_with_cuda() noexcept { return false; }
int device_count() noexcept { return 0; }
std::string unavailable_reason() {
  return "this build of Triptych has no CUDA: use Device::cpu(), or configure with -DTRIPTYCH_CUDA=ON and a "
         "CUDA compiler";
}
DeviceProperties device_properties(int) { unavailable(); }
int current_device() { unavailable(); }
void set_device(int) { unavailable(); }
void restore_device(int) noexcept {}

}  // namespace triptych::runtime
