// What every demo program does around its work: one sentence and an exit code for whatever goes wrong, no
// chatter of the libraries below, a clean end when the user interrupts.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace triptych::apps {

// The command line does not make sense: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls work(); turns what it throws into "<name>: <one sentence>" on stderr and an exit code: 2 for
// UsageError, 1 for everything else.
int run_program(std::string_view name, const std::function<void()>& work);

// "<name>: <sentence>" on stderr, as one line.
void say(std::string_view name, std::string_view sentence);

// From now on Ctrl-C and a polite kill only set interrupted(); a second one ends the program at once.
void end_on_interrupt();
bool interrupted() noexcept;

// While it lives, what libraries write to stderr is thrown away: decoders print there on their own. For one
// thread at a time.
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
