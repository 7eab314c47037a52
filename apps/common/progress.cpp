#include <common/progress.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace triptych::apps {

namespace {

constexpr double seconds_between_bars = 0.1;
constexpr double seconds_between_lines = 10;
constexpr double seconds_between_rates = 0.5;
constexpr int bar_width = 30;

}  // namespace

Progress::Progress(std::string name, int total, std::string unit)
    : name_(std::move(name)), unit_(std::move(unit)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::update(int done) {
  if (since_rated_.elapsed_s() >= seconds_between_rates || rate_ <= 0) {
    rate_ = (done - rated_) / std::max(since_rated_.elapsed_s(), 1e-6);
    rated_ = done;
    since_rated_.restart();
  }
  if (drawn_ || !terminal_) {
    if (since_shown_.elapsed_s() < (terminal_ ? seconds_between_bars : seconds_between_lines)) return;
  }
  since_shown_.restart();
  std::string text = std::to_string(done);
  if (total_ > 0) text += " of " + std::to_string(total_);
  char rate[32];
  std::snprintf(rate, sizeof(rate), rate_ < 9.95 ? "%.1f" : "%.0f", rate_);
  text += " " + unit_ + ", " + rate + " " + unit_ + "/s";
  if (!terminal_) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), text.c_str());
    return;
  }
  std::string bar;
  if (total_ > 0) {
    const int filled = std::min(bar_width, static_cast<int>(1LL * bar_width * done / total_));
    bar.assign(bar_width, '.')
        .replace(0, static_cast<std::size_t>(filled), static_cast<std::size_t>(filled), '#');
    bar.insert(bar.begin(), '[');
    bar += "] ";
  }
  std::fprintf(stderr, "\r%s%s\x1b[K", bar.c_str(), text.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace triptych::apps
