// For loops that watch a word: lets the core do something else for a moment.
#pragma once

namespace triptych {

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace triptych
