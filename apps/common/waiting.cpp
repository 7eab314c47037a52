#include <triptych/core/clock.hpp>

#include <common/waiting.hpp>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <utility>

namespace triptych::apps {

Waiting::Waiting(std::string what)
    : what_(std::move(what)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Waiting::run(const std::stop_token& stop) {
  // Signals are for the thread that waits.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const Stopwatch watch;
  std::unique_lock lock(mutex_);
  const auto pause_s = [&](double seconds) {
    ended_.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
    return !stop.stop_requested();
  };
  bool shown = false;
  while (pause_s(terminal && shown ? 0.2 : shown ? 10.0 : 0.9)) {
    std::fprintf(stderr, terminal ? "\r%s, %.0f s\x1b[K" : "%s, %.0f s\n", what_.c_str(),
                 std::round(watch.elapsed_s()));
    std::fflush(stderr);
    shown = true;
  }
  if (terminal && shown) std::fputs("\r\x1b[K", stderr);
}

}  // namespace triptych::apps
