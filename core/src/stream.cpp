#include <triptych/core/stream.hpp>

#include "runtime.hpp"

namespace triptych {

void detail::StreamDeleter::operator()(CUstream_st* stream) const noexcept {
  runtime::destroy_stream(stream);
}
void detail::EventDeleter::operator()(CUevent_st* event) const noexcept { runtime::destroy_event(event); }

Stream::Stream() : stream_(runtime::create_stream()) {}

void StreamRef::synchronize() const { runtime::synchronize_stream(stream_); }
bool StreamRef::is_capturing() const { return runtime::is_capturing(stream_); }
void StreamRef::call_on_host(void (*function)(void*), void* argument) const {
  runtime::call_on_host(stream_, function, argument);
}
void StreamRef::wait(const Event& event) const { runtime::wait_for_event(stream_, event.get()); }

Event::Event(Timing timing) : event_(runtime::create_event(timing)) {}

void Event::record(StreamRef stream) { runtime::record_event(get(), stream.get()); }
void Event::synchronize() const { runtime::synchronize_event(get()); }
bool Event::query() const { return runtime::query_event(get()); }
double Event::elapsed_ms(const Event& begin, const Event& end) {
  return runtime::elapsed_ms(begin.get(), end.get());
}

}  // namespace triptych
