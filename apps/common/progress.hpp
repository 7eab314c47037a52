// Progress of a run on stderr: a bar on a terminal, otherwise a line every few seconds.
#pragma once

#include <triptych/core/clock.hpp>

#include <string>

namespace triptych::apps {

class Progress {
 public:
  // total: 0 when unknown. unit: what is counted.
  Progress(std::string name, int total, std::string unit = "frames");
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(int done);
  // Erases the bar.
  void finish();
  double frames_per_second() const { return rate_; }

 private:
  std::string name_, unit_;
  int total_;
  bool terminal_;
  bool drawn_ = false;
  Stopwatch since_start_, since_shown_, since_rated_;
  int rated_ = 0;
  double rate_ = 0;
};

}  // namespace triptych::apps
