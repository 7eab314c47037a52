// cpu_pause(): the hint of a spin-wait loop to the processor, which saves power and yields to the other
// hardware thread of the core.
#pragma once

namespace triptych {

inline void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace triptych
