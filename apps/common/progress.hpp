// How far a run is, on stderr: a bar on a terminal, elsewhere a plain line every few seconds.
#pragma once

#include <triptych/core/clock.hpp>

#include <string>

namespace triptych::apps {

class Progress {
 public:
  // total 0: not known. unit: what is counted.
  Progress(std::string name, int total, std::string unit = "frames");
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(int done);
  // Takes the bar away.
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
