// What every demo program does: reports an error in one sentence with an exit code, silences the libraries
// below, and ends cleanly on an interrupt.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace triptych::apps {

// A wrong command line: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls work() and returns the exit code. An exception is written to stderr as "<name>: <one sentence>"; the
// exit code is then 2 for UsageError and 1 for any other.
int run_program(std::string_view name, const std::function<void()>& work);

// Writes "<name>: <sentence>" to stderr as one line.
void say(std::string_view name, std::string_view sentence);

// After this call SIGINT and SIGTERM only set interrupted(); a second signal ends the program at once.
void end_on_interrupt();
bool interrupted() noexcept;

// While it exists, stderr is discarded: decoders write to it directly. One object at a time.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;

 private:
  int saved_ = -1;
};

}  // namespace triptych::apps
