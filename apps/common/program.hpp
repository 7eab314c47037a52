// What every demo program does: reports an error in one sentence with an exit code, silences the libraries
// below, and ends cleanly on SIGINT and SIGTERM.
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

// A signal has cut the run short; what() says what was kept, such as "12 frames in out/skin". Exit code 128
// and the number of the signal: 130 for SIGINT, 143 for SIGTERM.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls work() and returns the exit code. An exception is written to stderr as "<name>: <one sentence>"; the
// exit code is then 2 for UsageError, that of the signal for Interrupted, and 1 for any other, also when
// stdout cannot be written to. A reader of stdout that has gone (SIGPIPE) is no error: the rest of the text
// is dropped. SIGINT and SIGTERM end the program at once, which says that it wrote nothing, until
// end_on_interrupt(). name must live as long as the program.
int run_program(const char* name, const std::function<void()>& work);

// Writes "<name>: <sentence>" to stderr as one line.
void say(std::string_view name, std::string_view sentence);

// From the first result on: after this call SIGINT and SIGTERM only set interrupted() and make a blocking
// system call return; a second signal ends the program at once.
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
