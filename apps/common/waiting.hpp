// Waiting: says on stderr that a call takes its time, from another thread: on a terminal a line that counts
// the seconds, otherwise a line after the first second and then every few seconds.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace triptych::apps {

class Waiting {
 public:
  // what: "capsule_demo: searching for the first pose"
  explicit Waiting(std::string what);

 private:
  void run(const std::stop_token& stop);

  std::string what_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last: it ends before the others do
};

}  // namespace triptych::apps
