#include <common/program.hpp>
#include <fcntl.h>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace triptych::apps {

namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) {
  if (interrupts != 0) std::_Exit(130);
  interrupts = 1;
}

// Library messages may span lines; the user gets one.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const char plain = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    if (plain == ' ' && (line.empty() || line.back() == ' ')) continue;
    line += plain;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line + ".";
}

void silence_libraries() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
  setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);  // FFmpeg's "quiet"
}

}  // namespace

void say(std::string_view name, std::string_view sentence) {
  const std::string line = std::string(name) + ": " + one_line(sentence) + "\n";
  std::fflush(stdout);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int run_program(std::string_view name, const std::function<void()>& work) {
  silence_libraries();
  try {
    work();
    return 0;
  } catch (const UsageError& error) {
    say(name, error.what());
    return 2;
  } catch (const cv::Exception& error) {
    say(name, "OpenCV failed: " + error.err);
  } catch (const std::bad_alloc&) {
    say(name, "there is not enough memory for this");
  } catch (const std::exception& error) {
    say(name, error.what());
  }
  return 1;
}

void end_on_interrupt() {
  static_cast<void>(std::signal(SIGINT, on_interrupt));
  static_cast<void>(std::signal(SIGTERM, on_interrupt));
}

bool interrupted() noexcept { return interrupts != 0; }

QuietStderr::QuietStderr() {
  std::fflush(stderr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  saved_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (saved_ >= 0) dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

QuietStderr::~QuietStderr() {
  if (saved_ < 0) return;
  std::fflush(stderr);
  dup2(saved_, STDERR_FILENO);
  close(saved_);
}

}  // namespace triptych::apps
