#include <common/program.hpp>
#include <fcntl.h>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace triptych::apps {

namespace {

// What a signal handler may read: no destructor, no allocation.
volatile std::sig_atomic_t signal_number = 0;      // of the first signal
volatile std::sig_atomic_t signals_are_flags = 0;  // after end_on_interrupt()
const char* volatile program = "";
volatile std::sig_atomic_t stderr_descriptor = STDERR_FILENO;  // another one while QuietStderr exists

void write_stderr(const char* text) {
  if (write(stderr_descriptor, text, std::strlen(text)) < 0) return;  // nobody reads it
}

const char* name_of_signal(int number) { return number == SIGINT ? "SIGINT" : "SIGTERM"; }

void on_signal(int number) {
  if (signals_are_flags != 0 && signal_number == 0) {
    signal_number = number;
    return;
  }
  if (isatty(stderr_descriptor) != 0) write_stderr("\r\x1b[K");
  write_stderr(program);
  write_stderr(": interrupted by ");
  write_stderr(name_of_signal(number));
  write_stderr(signals_are_flags != 0
                   ? " a second time: what was written so far is in the files named *.part-*.\n"
                   : ": nothing was written.\n");
  _exit(128 + number);
}

void handle_signals() {
  // Without SA_RESTART: a read from a pipe or a camera that waits for ever must return.
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
  for (const int number : {SIGPIPE, SIGXFSZ})  // the calls report what happened
    static_cast<void>(std::signal(number, SIG_IGN));
}

bool stdout_has_no_reader() {
  pollfd output = {STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLNVAL)) != 0;
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

int run_program(const char* name, const std::function<void()>& work) {
  program = name;
  handle_signals();
  silence_libraries();
  try {
    work();
    if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) || stdout_has_no_reader()) return 0;
    say(name, "cannot write to stdout, the results are written: the disk may be full");
  } catch (const UsageError& error) {
    say(name, error.what());
    return 2;
  } catch (const Interrupted& kept) {
    say(name, std::string("interrupted by ") + name_of_signal(signal_number) + ": " + kept.what());
    return 128 + signal_number;
  } catch (const cv::Exception& error) {
    say(name, "OpenCV failed: " + error.err);
  } catch (const std::bad_alloc&) {
    say(name, "there is not enough memory for this");
  } catch (const std::exception& error) {
    // A signal makes blocking calls fail.
    const std::string cause =
        interrupted() ? std::string("interrupted by ") + name_of_signal(signal_number) + ": " : std::string();
    say(name, cause + error.what());
  }
  return interrupted() ? 128 + signal_number : 1;
}

void end_on_interrupt() { signals_are_flags = 1; }

bool interrupted() noexcept { return signal_number != 0; }

QuietStderr::QuietStderr() {
  std::fflush(stderr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  saved_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (saved_ >= 0) {
    stderr_descriptor = saved_;
    dup2(nowhere, STDERR_FILENO);
  }
  close(nowhere);
}

QuietStderr::~QuietStderr() {
  if (saved_ < 0) return;
  std::fflush(stderr);
  dup2(saved_, STDERR_FILENO);
  stderr_descriptor = STDERR_FILENO;
  close(saved_);
}

}  // namespace triptych::apps
